import type { KubeObject } from './kube-object.ts';
import type { ArgoCdForm } from './notifications.ts';

export interface ArgoCdSettingsOptions {
  readonly form: ArgoCdForm;
  readonly namespace: string;
  /** Name of the ArgoCD resource, for the operator's form. With another name it would be another Argo CD. */
  readonly resource: string;
}

const group = 'machineconfiguration.openshift.io';
const kind = 'MachineConfigPool';

/** `paused` is Poolkeeper's while a sync runs, `configuration` is the MCO's. A sync only leaves them alone if the
 *  Application also has `RespectIgnoreDifferences=true`. */
const ignoredPointers = ['/spec/paused', '/spec/configuration'] as const;

/** Argo CD has no health check for pools. With this one, a degraded pool makes its Application Degraded, a pause with a
 *  change pending Suspended, and a rollout Progressing. Newer conditions come last in the list, so the last one of a
 *  type counts. */
const poolHealth = `local health = { status = "Healthy", message = "All machines run the pool's configuration" }
if obj.status == nil or obj.status.conditions == nil then
  return { status = "Progressing", message = "The Machine Config Operator has not processed this pool yet" }
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

/** The health check and the ignored fields of pools, for the whole Argo CD instance. */
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

/** For an Application that deploys pools: not applied, but added to its spec in Git. */
export const applicationSnippet = `# In the spec of each Application that deploys MachineConfigPools:
#   ignoreDifferences:
#   - group: ${group}
#     kind: ${kind}
#     jsonPointers: [${ignoredPointers.join(', ')}]
#   syncPolicy:
#     syncOptions: [RespectIgnoreDifferences=true]
# And leave \`paused\` out of Git: with self-heal, Argo CD would resume the pool within seconds.
`;
