package embedded_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/a2awire/a2awire/mqtt/embedded"
)

func Example() {
	broker, err := embedded.Start(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer broker.Close()
	fmt.Println(strings.HasPrefix(broker.URL(), "mqtt://127.0.0.1:"))
	// Output: true
}
