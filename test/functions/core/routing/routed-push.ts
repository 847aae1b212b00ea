import type { RoutedPush } from '../../../../functions/core/routing/push.ts';
import type { HandledPush } from './argocd-handler.ts';

/** The push as Poolkeeper's receiver hands it on: an empty list of files says nothing. */
export function routedPush({ files, ...rest }: HandledPush): RoutedPush {
  if (files.length === 0) return { ...rest, files: { kind: 'unknown', why: 'no changed file is listed' } };
  return { ...rest, files: { kind: 'known', paths: files } };
}
