import { join } from 'node:path';
import type { Kube } from './harness/kube.ts';
import { until } from './harness/until.ts';

/** A hook Job beside the manifests. Nothing runs Jobs here: the sync waits until `finishWaitingHook`, with `PreSync`
 *  before it has applied anything, with `PostSync` after it has applied all. */
export function withWaitingHook(
  files: Record<string, string>,
  name = 'wait-polled',
  phase: 'PreSync' | 'PostSync' = 'PreSync',
  folder = '.',
): Record<string, string> {
  const hook = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations: { 'argocd.argoproj.io/hook': phase } },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'wait', image: 'example.com/wait' }] } } },
  };
  return { ...files, [join(folder, 'hook.json')]: JSON.stringify(hook) };
}

/** The Job has succeeded. */
export function finishWaitingHook(kube: Kube, name: string): Promise<void> {
  return finishJob(kube, `/apis/batch/v1/namespaces/default/jobs/${name}`);
}

/** The Job at this path of the API has succeeded. */
export async function finishJob(kube: Kube, path: string): Promise<void> {
  await until(() => kube.find(path), 60_000, `${path} to be there`);
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
    type,
    status: 'True',
    lastProbeTime: at,
    lastTransitionTime: at,
  }));
  await kube.patch(`${path}/status`, { status: { startTime: at, completionTime: at, succeeded: 1, conditions } });
}
