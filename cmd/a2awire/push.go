package main

import (
	"context"
	"os"
	"strconv"
	"strings"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/spf13/cobra"

	"github.com/a2awire/a2awire/binding"
)

func itoa(n int) string { return strconv.Itoa(n) }

func (a *app) pushCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "push", Short: "Push notification configurations of a task",
		RunE: func(*cobra.Command, []string) error { return usagef("want: a2awire push create|get|list|delete …") },
	}
	c.AddCommand(a.pushCreateCommand(), a.pushGetCommand(), a.pushListCommand(), a.pushDeleteCommand())
	return c
}

func (a *app) pushConfig(c *pb.TaskPushNotificationConfig) {
	a.out.line("%s %s  %s", a.out.paint(bold, "push"), safe(c.GetId()), safe(c.GetUrl()))
}

func (a *app) pushCreateCommand() *cobra.Command {
	var id, scheme, credentialsFile string
	c := a.calling("push create TARGET TASK URL", "Have a webhook called when the task changes", 3,
		func(ctx context.Context, r *remote, call *binding.Call, args []string) error {
			req := &pb.TaskPushNotificationConfig{TaskId: args[0], Url: args[1], Id: id}
			if scheme != "" {
				req.Authentication = &pb.AuthenticationInfo{Scheme: scheme}
			}
			if credentialsFile != "" {
				b, err := os.ReadFile(credentialsFile)
				if err != nil {
					return usagef("--credentials-file: %w", err)
				}
				if req.Authentication == nil {
					req.Authentication = &pb.AuthenticationInfo{Scheme: "Bearer"}
				}
				req.Authentication.Credentials = strings.TrimSpace(string(b))
			}
			made, err := r.CreateTaskPushNotificationConfig(ctx, call, req)
			if err != nil {
				return err
			}
			return a.show(made, func() { a.pushConfig(made) })
		})
	c.Flags().StringVar(&id, "id", "", "the configuration's id; the agent makes one if not given")
	c.Flags().StringVar(&scheme, "scheme", "", "how the agent authenticates to the webhook, such as Bearer")
	c.Flags().StringVar(&credentialsFile, "credentials-file", "", "`FILE` with what it authenticates with")
	return c
}

func (a *app) pushGetCommand() *cobra.Command {
	c := a.calling("push get TARGET TASK ID", "Show a configuration", 3,
		func(ctx context.Context, r *remote, call *binding.Call, args []string) error {
			got, err := r.GetTaskPushNotificationConfig(ctx, call, &pb.GetTaskPushNotificationConfigRequest{TaskId: args[0], Id: args[1]})
			if err != nil {
				return err
			}
			return a.show(got, func() { a.pushConfig(got) })
		})
	return c
}

func (a *app) pushListCommand() *cobra.Command {
	c := a.calling("push list TARGET TASK", "List a task's configurations", 2,
		func(ctx context.Context, r *remote, call *binding.Call, args []string) error {
			resp, err := r.ListTaskPushNotificationConfigs(ctx, call, &pb.ListTaskPushNotificationConfigsRequest{TaskId: args[0]})
			if err != nil {
				return err
			}
			return a.show(resp, func() {
				for _, c := range resp.GetConfigs() {
					a.pushConfig(c)
				}
				a.out.line("%s", a.out.paint(dim, itoa(len(resp.GetConfigs()))+" configurations"))
			})
		})
	return c
}

func (a *app) pushDeleteCommand() *cobra.Command {
	c := a.calling("push delete TARGET TASK ID", "Delete a configuration", 3,
		func(ctx context.Context, r *remote, call *binding.Call, args []string) error {
			done, err := r.DeleteTaskPushNotificationConfig(ctx, call, &pb.DeleteTaskPushNotificationConfigRequest{TaskId: args[0], Id: args[1]})
			if err != nil {
				return err
			}
			return a.show(done, func() { a.out.line("deleted %s", safe(args[1])) })
		})
	return c
}
