package refagent

import (
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/a2awire/a2awire/binding"
)

// mirror gives the request as the agent saw it. The credential is not part of
// it. The artifact nests deeper than the request, and is larger: a request
// near the limits of what may cross a wire cannot be mirrored over one.
func mirror(r *run) {
	if !r.working() {
		return
	}
	v, err := reflection(r.req, r.params)
	if err != nil {
		r.set(pb.TaskState_TASK_STATE_FAILED, "The request has no JSON: "+err.Error())
		return
	}
	_ = r.artifact(dataPart(v)) && r.completed()
}

func reflection(req *pb.SendMessageRequest, params binding.Params) (*structpb.Value, error) {
	b, err := binding.MessagePayload(req).JSON()
	if err != nil {
		return nil, err
	}
	asked := new(structpb.Value)
	if err := asked.UnmarshalJSON(b); err != nil {
		return nil, err
	}
	metadata := req.GetMetadata()
	if metadata == nil {
		metadata = new(structpb.Struct)
	}
	service := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(params))}
	for k, v := range params {
		service.Fields[k] = structpb.NewStringValue(v)
	}
	return structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
		"params":            asked,
		"tenant":            structpb.NewStringValue(req.GetTenant()),
		"metadata":          structpb.NewStructValue(metadata),
		"serviceParameters": structpb.NewStructValue(service),
	}}), nil
}
