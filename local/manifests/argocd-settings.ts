import type { KubeObject } from './kube-object.ts';
import type { ArgoCdForm } from './notifications.ts';

export interface ArgoCdSettingsOptions {
  readonly form: ArgoCdForm;
  readonly namespace: string;
  /** Name of the ArgoCD resource, for the operator's form. Another name would be another Argo CD. */
  readonly resource: string;
}

const group = 'machineconfiguration.openshift.io';
const kind = 'MachineConfigPool';

/** `paused` is ours while a sync runs, `configuration` is the MCO's. Argo CD leaves them alone while it syncs only
 *  where the Application also says `RespectIgnoreDifferences=true`. */
const ignoredPointers = ['/spec/paused', '/spec/configuration'] as const;

/** Argo CD knows nothing of pools. With this a degraded pool makes its Application Degraded, one that waits behind a
 *  pause Suspended, one that rolls Progressing. Newer conditions come last in the list, so the last of a type
 *  counts. */
const poolHealth = `local health = { status = "Healthy", message = "All machines run the pool's configuration" }
if obj.status == nil or obj.status.conditions == nil then
  return { status = "Progressing", message = "The Machine Config Operator has not looked at this pool yet" }
end
local found = {}
for _, condition in ipairs(obj.status.conditions) do
  found[condition.type] = condition
end
local function says(type)
  return found[type] ~= nil and found[type].status == "True"
end
for _, type in ipairs({ "NodeDegraded", "RenderDegraded", "ImageBuildDegraded", "Degraded" }) do
  if says(type) then
    local message = found[type].message
    if message == nil or message == "" then message = type end
    return { status = "Degraded", message = message }
  end
end
local target = obj.spec ~= nil and obj.spec.configuration ~= nil and obj.spec.configuration.name or ""
local current = obj.status.configuration ~= nil and obj.status.configuration.name or ""
if target ~= "" and target ~= current then
  if obj.spec.paused then
    return { status = "Suspended", message = "Paused; will not update to " .. target }
  end
  return { status = "Progressing", message = "Updating to " .. target }
end
if says("Updating") then
  health = { status = "Progressing", message = found["Updating"].message }
end
return health
`;

/** Health of pools and the fields that are not Git's, for the whole Argo CD instance. */
export function argocdSettingsObject({ form, namespace, resource }: ArgoCdSettingsOptions): KubeObject {
  if (form === 'configmap') {
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cm', namespace, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
      data: {
        [`resource.customizations.health.${group}_${kind}`]: poolHealth,
        [`resource.customizations.ignoreDifferences.${group}_${kind}`]: `jsonPointers:\n${ignoredPointers.map((pointer) => `- ${pointer}\n`).join('')}`,
      },
    };
  }
  return {
    apiVersion: 'argoproj.io/v1beta1',
    kind: 'ArgoCD',
    metadata: { name: resource, namespace },
    spec: {
      notifications: { enabled: true },
      resourceHealthChecks: [{ group, kind, check: poolHealth }],
      resourceIgnoreDifferences: {
        resourceIdentifiers: [{ group, kind, customization: { jsonPointers: ignoredPointers } }],
      },
    },
  };
}

/** For the Application that brings pools, in Git: not applied, but put into its spec. */
export const applicationSnippet = `# Into the spec of each Application whose Git holds MachineConfigPools:
#   ignoreDifferences:
#   - group: ${group}
#     kind: ${kind}
#     jsonPointers: [${ignoredPointers.join(', ')}]
#   syncPolicy:
#     syncOptions: [RespectIgnoreDifferences=true]
# and no \`paused\` in Git: with self-heal Argo CD would resume the pool within seconds.
`;
