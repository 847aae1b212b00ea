import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { manifestOf } from '../../../functions/adapters/yaml/read-manifests.ts';
import {
  type PausingHook,
  pausingHookOf,
  pausingHookRemedy,
  pausingHookWords,
} from '../../../functions/core/openshift/pausing-hook.ts';
import { type Finding, warning } from './finding.ts';

/** Most hooks that are named. */
const mostHooks = 20;

interface FoundHook {
  readonly hook: PausingHook;
  /** Name of the Application that brings it, as Argo CD marks what it applies; undefined: not marked, or by a text that
   *  is no name. Whoever may write the Job may write the mark. */
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
    return [{ hook, application: nameIn(tracked ?? manifest.labels['app.kubernetes.io/instance'] ?? '') }];
  });
  return hooks.slice(0, mostHooks).map(({ hook, application }) => {
    const by =
      application === undefined ? 'the repository that brings it' : `the repository of Application ${application}`;
    const where = `the file with ${hook.what} from ${by} (npx poolkeeper impact names it)`;
    return warning(about, `hooks: ${pausingHookWords(hook)}`, pausingHookRemedy(hook, where));
  });
}

/** As Argo CD writes it: `name`, or `namespace_name`. */
function nameIn(text: string): string | undefined {
  return /^[a-z0-9][a-z0-9._-]{0,506}$/.exec(text)?.[0];
}
