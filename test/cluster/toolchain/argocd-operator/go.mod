// Only files of this module are read, so its own requirements are left out: no `go mod tidy` here.
module poolkeeper.dev/toolchain/argocd-operator

go 1.26.0

require github.com/argoproj-labs/argocd-operator v0.17.0
