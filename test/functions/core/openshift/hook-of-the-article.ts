/** A hook Job like those of the article on automatic reboots during a sync, in our own words: it patches the pool that
 *  its environment names, and waits. */
export function hookOfTheArticle(phase: 'PreSync' | 'PostSync', paused: boolean): string {
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: mcp-worker-${paused ? 'paused' : 'resumed'}
  namespace: openshift-gitops
  annotations:
    argocd.argoproj.io/hook: ${phase}
spec:
  template:
    spec:
      serviceAccountName: sync-job-sa
      restartPolicy: Never
      containers:
        - name: patch
          image: registry.example.com/openshift/cli:latest
          env:
            - { name: MCP, value: worker }
          command:
            - /bin/bash
            - -c
            - |
              set -e
              oc patch --type=merge --patch='{"spec":{"paused":${paused}}}' machineconfigpool/$MCP
              sleep 10
`;
}
