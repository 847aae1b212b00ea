import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { manifestOf } from '../../../functions/adapters/yaml/read-manifests.ts';
import {
  type PausingHook,
  pausingHookOf,
  pausingHookRemedy,
  pausingHookWords,
} from '../../../functions/core/openshift/pausing-hook.ts';
import { clean } from '../../../functions/core/text/safe-text.ts';
import { type Finding, warning } from './finding.ts';

/** Most hooks that are named. */
const mostHooks = 20;

interface FoundHook {
  readonly hook: PausingHook;
  /** Name of the Application that brings it, as Argo CD marks what it applies; undefined: not marked. */
  readonly application: string | undefined;
}

/** Jobs of the cluster that are hooks of a sync and pause pools by themselves, read with the permissions of the
 *  person. Argo CD keeps a hook's Job until the next sync, unless its delete policy says otherwise. Throws
 *  Transient. */
export async function checkHooks(about: string, client: Pick<KubeClient, 'list'>): Promise<readonly Finding[]> {
  const jobs = await client.list('/apis/batch/v1/jobs', { pageSize: 250 });
  return hookFindings(about, jobs);
}

/** The same of Jobs that were read. */
function hookFindings(about: string, jobs: readonly unknown[]): readonly Finding[] {
  const hooks = jobs.flatMap((job): readonly FoundHook[] => {
    // Items of a list do not say what they are.
    const manifest = typeof job === 'object' ? manifestOf({ ...job, apiVersion: 'batch/v1', kind: 'Job' }) : undefined;
    const hook = manifest === undefined ? undefined : pausingHookOf(manifest);
    if (hook === undefined || manifest === undefined) return [];
    const tracked = manifest.annotations['argocd.argoproj.io/tracking-id']?.split(':')[0];
    return [{ hook, application: tracked ?? manifest.labels['app.kubernetes.io/instance'] }];
  });
  return hooks.slice(0, mostHooks).map(({ hook, application }) => {
    const by =
      application === undefined ? 'the repository that brings it' : `the repository of Application ${application}`;
    const where = `the file with ${hook.what} from ${by} (npx poolkeeper impact names it)`;
    return warning(about, clean(`hooks: ${pausingHookWords(hook)}`), clean(pausingHookRemedy(hook, where)));
  });
}
