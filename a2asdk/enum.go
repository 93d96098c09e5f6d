package a2asdk

import (
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// toEnum is the SDK's text of an enum: the name in the data model, "" for
// unspecified, and the number of what has no name.
func toEnum(e protoreflect.Enum) string {
	n := e.Number()
	if n == 0 {
		return ""
	}
	if v := e.Descriptor().Values().ByNumber(n); v != nil {
		return string(v.Name())
	}
	return strconv.Itoa(int(n))
}

// fromEnum reads what toEnum made. Any other text is unknownEnum.
func fromEnum(s string, numbers map[string]int32) int32 {
	if s == "" {
		return 0
	}
	if n, ok := numbers[s]; ok {
		return n
	}
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return int32(n)
	}
	return unknownEnum
}
