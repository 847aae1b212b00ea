import type { ClusterStories } from '../../core/node-rollouts/follow.ts';
import { asksForAll, fitsQuery } from '../../core/node-rollouts/rollout-query.ts';
import type { NodeStory } from '../../core/openshift/node-rollout.ts';
import type { Stories } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredStories, StoredStory } from './stored/story.ts';
import type { Table } from './table.ts';

const day = 24 * 3600;
/** Seconds. Open ones since the last write: the pace of a pool that is rarely changed shall still be known next quarter. */
const keepSeconds = { open: 180 * day, ended: 90 * day };
/** Ended stories that one question reads at most, a little more than 1 kB each. */
const mostRead = 5_000;
/** Writes that run side by side. */
const atOnce = 10;

/** One row a cluster for what is under way, under an optimistic lock, and one for each story that ended. */
export function dynamoStories(table: Table): Stories {
  async function keepOne(story: NodeStory): Promise<void> {
    // Told again after a death it has the same beginning, and is the same row.
    const key = { pk: 'story', sk: [story.begun.at, story.cluster, story.node, story.to].join('#') };
    const body = fittingBody(story, [(large) => ({ ...large, causes: large.causes.slice(0, 20) })]);
    await table.write({ ...key, body, version: 0, keepSeconds: keepSeconds.ended }, { kind: 'absent' });
  }

  return {
    async load(cluster) {
      const row = await table.read({ pk: 'stories', sk: cluster });
      return row && readBody(StoredStories, row);
    },
    save(stories) {
      return saveVersion(table, {
        pk: 'stories',
        sk: stories.cluster,
        keepSeconds: keepSeconds.open,
        version: stories.version,
        bodyOf: (version) => fittingBody({ ...stories, version }, [withoutCauses, withFew]),
      });
    },
    async keep(ended) {
      for (let start = 0; start < ended.length; start += atOnce)
        await Promise.all(ended.slice(start, start + atOnce).map(keepOne));
    },
    async ended(query) {
      const limit = asksForAll(query) ? query.limit : mostRead;
      const rows = await table.query({ pk: 'story', newestFirst: true, limit });
      return rows
        .map((row) => readBody(StoredStory, row))
        .filter((story) => fitsQuery(story, query))
        .slice(0, query.limit);
    },
  };
}

function withoutCauses(stories: ClusterStories): ClusterStories {
  return { ...stories, open: stories.open.map((story) => ({ ...story, causes: [] })) };
}

/** Some hundred nodes under way at once are all that fit. */
function withFew(stories: ClusterStories): ClusterStories {
  return { ...withoutCauses(stories), open: stories.open.slice(0, 200) };
}
