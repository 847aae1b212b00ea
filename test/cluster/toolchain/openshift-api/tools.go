// Names what is taken from the pinned modules, so that `go mod tidy` keeps their requirements. Never compiled.

//go:build tools

package tools

import _ "github.com/openshift/api/machineconfiguration/v1"
