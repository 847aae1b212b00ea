import { type Remark, trap } from './remark.ts';
import { textOf, type Value } from './values.ts';

/** What a hook of each phase of Argo CD does for the order within its sync. Source: Argo CD 3.6.0,
 *  gitops-engine/pkg/sync/hook. */
const phases: Readonly<Record<string, 'gates' | 'before all' | 'too late' | 'never'>> = {
  PreSync: 'before all',
  Sync: 'gates',
  PostSync: 'too late',
  SyncFail: 'never',
  PreDelete: 'never',
  PostDelete: 'never',
  Skip: 'never',
};

/** The phases of a gate; one that Argo CD does not know is taken as Sync, which its author meant to have. */
export function hookOf(given: Value | undefined): string {
  const text = textOf(given) ?? '';
  if (text === '') return 'Sync';
  const known = text
    .split(',')
    .map((phase) => phase.trim())
    .filter((phase) => Object.hasOwn(phases, phase));
  return known.length === 0 ? 'Sync' : known.join(',');
}

/** What is wrong with a `hookType`, or with the annotation `argocd.argoproj.io/hook` of an object. */
export function checkHook(given: Value | undefined, where: string): readonly Remark[] {
  const text = textOf(given) ?? '';
  if (text === '') return [];
  const named = text.split(',').map((phase) => phase.trim());
  const unknown = named.filter((phase) => !Object.hasOwn(phases, phase));
  if (unknown.length > 0) {
    const says = `${unknown.join(', ')} is no hook type of Argo CD (${Object.keys(phases).join(', ')}): it never runs and nobody is told; taken as Sync`;
    return [trap('hook-unknown', where, says)];
  }
  const effects = named.map((phase) => phases[phase]);
  if (effects.includes('gates')) return [];
  if (effects.includes('before all')) {
    const says =
      'PreSync runs before anything of the group is created: waiting there for what an operator of this group makes never ends on a new cluster';
    return [trap('hook-presync', where, says)];
  }
  const says = effects.includes('too late')
    ? 'PostSync runs after everything: it holds back nothing of the same sync'
    : `${text} is not part of a sync that succeeds: it holds back nothing`;
  return [trap('hook-gates-nothing', where, says)];
}
