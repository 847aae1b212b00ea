import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { manifestOf } from '../../../functions/adapters/yaml/read-manifests.ts';
import {
  type PausingHook,
  pausingHookOf,
  pausingHookRemedy,
  pausingHookWords,
} from '../../../functions/core/openshift/pausing-hook.ts';
import { counted } from '../../../functions/core/text/phrases.ts';
import { byTurns } from '../../../functions/core/text/rounds.ts';
import { type Finding, warning } from './finding.ts';

/** Most hooks that are named, of each namespace in turn: in an own one, anybody may leave any number. */
const mostHooks = 20;

/** In a clone. `poolkeeper impact` names only those that a change brings. */
const findHooks = "git grep -nE 'argocd.argoproj.io/hook|helm.sh/hook'";

interface FoundHook {
  readonly hook: PausingHook;
  readonly namespace: string;
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
    return [
      {
        hook,
        namespace: manifest.namespace,
        application: nameIn(tracked ?? manifest.labels['app.kubernetes.io/instance'] ?? ''),
      },
    ];
  });
  const named = byTurns(hooks, ({ namespace }) => namespace).slice(0, mostHooks);
  const findings = named.map(({ hook, application }) => {
    const by =
      application === undefined ? 'the repository that brings it' : `the repository of Application ${application}`;
    const where = `the file with ${hook.what} from ${by} (${findHooks} finds it there)`;
    return warning(about, `hooks: ${pausingHookWords(hook)}`, pausingHookRemedy(hook, where));
  });
  const left = hooks.length - named.length;
  return left === 0 ? findings : [...findings, leftOut(about, left)];
}

function leftOut(about: string, left: number): Finding {
  const what = `hooks: ${counted(left, 'more Job')} of a sync that ${left === 1 ? 'pauses or resumes' : 'pause or resume'} pools`;
  return warning(about, what, 'Remove those above, and ask again');
}

/** As Argo CD writes it: `name`, or `namespace_name`. */
function nameIn(text: string): string | undefined {
  return /^[a-z0-9][a-z0-9._-]{0,506}$/.exec(text)?.[0];
}
