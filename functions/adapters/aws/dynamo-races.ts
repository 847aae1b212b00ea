import { joinRaces, type Race, type RaceKey } from '../../core/races/race.ts';
import { Transient } from '../../core/text/errors.ts';
import { unique } from '../../core/text/unique.ts';
import type { Races } from '../../ports/tables.ts';
import { inPieces } from '../in-pieces.ts';
import { fittingBody, readBody } from './body.ts';
import type { Row } from './row.ts';
import { StoredRace } from './stored/race.ts';
import type { Table } from './table.ts';

/** Seconds: 30 days. */
const keepSeconds = 30 * 24 * 3600;
/** Races that are loaded without being named: what is new, for the status page. Whoever may start syncs can make any
 *  number of them, so that none that matters is looked for among these alone. */
const newestLoaded = 200;
/** Rows that are asked for at once. */
const readTogether = 100;
/** Holds that begin in one pass begin at one instant, and their races are one piece of the table: more than these are
 *  one query, which costs a seventh of as many reads. Queries that are made at once. */
const fewKeys = 4;
const queriesTogether = 20;
/** Rows of such a piece that are read for each that is asked for: others in it may have ended long ago. */
const rowsForKey = 2;
/** Few passes overlap on one race; more attempts mean that something is wrong. */
const mostTries = 10;

/** Races of a cluster, newest first. Overlapping passes merge what they know; the first known time stays. */
export function dynamoRaces(table: Table): Races {
  async function save(race: Race, known: { readonly race: Race; readonly version: number } | undefined, tries: number) {
    const joined = known === undefined ? race : joinRaces(known.race, race);
    const version = known?.version ?? 0;
    const key = { pk: partitionOf(race.cluster), sk: sortKeyOf(race) };
    const written = await table.write(
      { ...key, body: fittingBody(joined, [withoutManyNodes]), version: version + 1, keepSeconds },
      known === undefined ? { kind: 'absent' } : { kind: 'version', version },
    );
    if (written.kind === 'written') return;
    if (tries === 0) throw new Transient(`race ${key.sk} is written by too many passes`, { kind: 'busy' });
    const { stored } = written;
    await save(race, stored && { race: readBody(StoredRace, stored), version: stored.version }, tries - 1);
  }

  async function find(cluster: string, named: readonly RaceKey[]): Promise<readonly Race[]> {
    const pk = partitionOf(cluster);
    const keys = unique(named.map(sortKeyOf)).toSorted().toReversed();
    const ofInstants = [...Map.groupBy(keys, sinceOf).values()];
    const pieces = await inPieces(ofInstants, queriesTogether, (asked) => readPiece(pk, asked));
    const rows = new Map(pieces.flatMap(({ found }) => found).map((row) => [row.sk, row]));
    const unread = pieces.flatMap(({ left }) => left);
    for (const row of await inPieces(unread, readTogether, (sk) => table.read({ pk, sk })))
      if (row !== undefined) rows.set(row.sk, row);
    return keys.flatMap((sk) => rows.get(sk) ?? []).map((row) => readBody(StoredRace, row));
  }

  /** Of those of one instant what one query finds, and what is left to be read one by one. */
  async function readPiece(pk: string, asked: readonly string[]): Promise<Piece> {
    const [first] = asked;
    if (first === undefined || asked.length <= fewKeys) return { found: [], left: asked };
    const limit = asked.length * rowsForKey;
    const prefix = `${sinceOf(first)}#`;
    const found = await table.query({ pk, prefix, newestFirst: true, limit, consistent: true });
    const read = new Set(found.map(({ sk }) => sk));
    return { found, left: found.length < limit ? [] : asked.filter((sk) => !read.has(sk)) };
  }

  return {
    async load(cluster, named = []) {
      const rows = await table.query({
        pk: partitionOf(cluster),
        newestFirst: true,
        limit: newestLoaded,
        consistent: true,
      });
      const newest = rows.map((row) => readBody(StoredRace, row));
      if (rows.length < newestLoaded) return newest;
      const loaded = new Set(rows.map(({ sk }) => sk));
      return [
        ...newest,
        ...(await find(
          cluster,
          named.filter((key) => !loaded.has(sortKeyOf(key))),
        )),
      ];
    },
    find,
    save: (race) => save(race, undefined, mostTries),
  };
}

function partitionOf(cluster: string): string {
  return `race#${cluster}`;
}

function sortKeyOf({ since, pool, hold }: RaceKey): string {
  return `${since}#${pool}#${hold}`;
}

/** No instant has this character. */
function sinceOf(sortKey: string): string {
  return sortKey.slice(0, sortKey.indexOf('#'));
}

interface Piece {
  readonly found: readonly Row[];
  /** Sort keys. */
  readonly left: readonly string[];
}

function withoutManyNodes(race: Race): Race {
  return { ...race, missedNodes: race.missedNodes.slice(0, 500) };
}
