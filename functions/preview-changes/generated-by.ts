import type { Deployed } from '../core/impact/impact-on-cluster.ts';
import {
  bringsElsewhere,
  isForPeople,
  type JudgedFrom,
  mayManageRendered,
  type Unjudged,
} from '../core/impact/unjudged.ts';
import type { ParsedFiles } from '../core/routing/parsed-files.ts';
import type { RoutedPush } from '../core/routing/push.ts';
import type { SetRoute } from '../core/routing/route.ts';
import { setNews } from '../core/routing/set-news.ts';

/** A change, who deploys it, and what else was read. */
export interface GeneratedQuestion {
  readonly push: RoutedPush;
  readonly parsed: ParsedFiles;
  readonly deployed: readonly Deployed[];
  readonly judged: JudgedFrom;
}

/** What ApplicationSets make of a change: Applications that are not there yet, or others than there are. What these
 *  deploy is not judged. It may reach nodes where the Applications of the set do, or where the change has something
 *  that the MCO renders and that nobody deploys yet. */
export function generatedBy(
  sets: readonly SetRoute[],
  { push, parsed, deployed, judged }: GeneratedQuestion,
): readonly Unjudged[] {
  const read = { ...parsed, files: parsed.files.filter(({ path }) => !isForPeople(path)) };
  if (read.files.length === 0 && read.incomplete === undefined) return [];
  const news = sets.flatMap((set) => {
    const found = setNews(set, push, read);
    return found === undefined ? [] : [{ set, path: found.path }];
  });
  if (news.length === 0) return [];
  const bringsNew = bringsElsewhere(deployed, judged.files);
  const paths = new Set(judged.files.files.map(({ path }) => path));
  const byPath = new Map<string, Unjudged>();
  for (const { set, path } of news) {
    const mayBring = bringsNew || manages(set, judged) || byPath.get(path)?.mayBring === true;
    byPath.set(path, {
      path,
      why: 'an ApplicationSet generates Applications from it',
      isFile: paths.has(path),
      mayBring,
    });
  }
  return [...byPath.values()];
}

function manages({ ref }: SetRoute, { applications }: JudgedFrom): boolean {
  return applications.some(
    (each) =>
      each.argocd === ref.argocd &&
      each.namespace === ref.namespace &&
      each.generatedBy === ref.name &&
      mayManageRendered(each),
  );
}
