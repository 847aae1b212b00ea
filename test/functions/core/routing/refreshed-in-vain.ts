import type { Application } from '../../../../functions/core/argocd/application.ts';
import { type HandledPush, type PathRules, refreshed } from './argocd-handler.ts';

/** Whether Argo CD's handler refreshes the Application though no sync can follow: it takes a branch and a tag of one
 *  name for the same, but what it then syncs is HEAD, which is a branch, or the very ref that is written in full. */
export function isRefreshedInVain(application: Application, push: HandledPush, rules: PathRules): boolean {
  const sources = application.sources.filter(({ targetRevision }) => !isAnotherRef(targetRevision, push));
  return refreshed([{ ...application, sources }], push, rules).length === 0;
}

/** Whether what is followed is not the pushed branch or tag, but one of the other kind with its name. */
export function isAnotherRef(revision: string, { ref }: Pick<HandledPush, 'ref'>): boolean {
  const others = ref.startsWith('refs/tags/') ? /^(?:[^/]*\/(?:[^/]*\/)?)?(?:HEAD)?$|^refs\/heads\// : /^refs\/tags\//;
  return others.test(revision);
}
