import { mergePatch } from '../../../functions/core/text/shell-words.ts';
import { type Finding, warning, wrong } from './finding.ts';

/** What of Argo CD sends its notifications, as far as it could be read. */
export type ControllerSeen =
  | {
      /** Those that go by a name or label of it. */
      readonly deployments: readonly { readonly name: string; readonly wanted: number; readonly ready: number }[];
      /** ArgoCD resources of the namespace that do not turn notifications on. */
      readonly turnedOffIn: readonly string[];
    }
  | { readonly unread: string };

/** Whether it runs: OpenShift GitOps has none before notifications are turned on. */
export function checkNotificationsController(
  about: string,
  namespace: string,
  seen: ControllerSeen,
): readonly Finding[] {
  if ('unread' in seen) return [notSeen(about, seen.unread, `--context of a user who may list Deployments there`)];
  const { deployments, turnedOffIn } = seen;
  if (deployments.some(({ ready }) => ready > 0)) return [];
  const [operand] = turnedOffIn;
  if (operand !== undefined)
    return [
      wrong(
        about,
        `notifications: nothing sends them: ArgoCD ${operand} does not turn them on (spec.notifications.enabled)`,
        mergePatch(
          { kind: 'argocds.argoproj.io', namespace, name: operand },
          { spec: { notifications: { enabled: true } } },
        ),
      ),
    ];
  const [first] = deployments;
  if (first === undefined) {
    const why = `namespace ${namespace} has no Deployment argocd-notifications-controller or alike`;
    return [notSeen(about, why, 'see that the notifications controller of this Argo CD is installed and runs')];
  }
  const { name, wanted } = first;
  return [
    wrong(
      about,
      `notifications: nothing sends them: Deployment ${name} has 0 of ${wanted} pods ready`,
      wanted === 0
        ? `oc -n ${namespace} scale deployment ${name} --replicas=1`
        : `oc -n ${namespace} describe deployment ${name}`,
    ),
  ];
}

function notSeen(about: string, why: string, remedy: string): Finding {
  return warning(about, `notifications: whether their controller runs could not be seen: ${why}`, remedy);
}
