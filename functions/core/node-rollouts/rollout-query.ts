import type { NodeStory } from '../openshift/node-rollout.ts';

/** Which ended stories are asked for. What is left out does not narrow it. */
export interface StoryQuery {
  readonly cluster?: string | undefined;
  readonly pool?: string | undefined;
  readonly node?: string | undefined;
  /** The beginning of a commit, as long as one likes. */
  readonly commit?: string | undefined;
  /** At most so many. */
  readonly limit: number;
}

export function fitsQuery(story: NodeStory, { cluster, pool, node, commit }: StoryQuery): boolean {
  return (
    (cluster === undefined || story.cluster === cluster) &&
    (pool === undefined || story.pool === pool) &&
    (node === undefined || story.node === node) &&
    (commit === undefined || story.causes.some(({ by }) => by?.revision.startsWith(commit) === true))
  );
}

/** Nothing but the number is asked: every story fits. */
export function asksForAll({ cluster, pool, node, commit }: StoryQuery): boolean {
  return [cluster, pool, node, commit].every((each) => each === undefined);
}
