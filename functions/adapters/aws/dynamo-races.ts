import { joinRaces, type Race, type RaceKey } from '../../core/races/race.ts';
import { Transient } from '../../core/text/errors.ts';
import type { Races } from '../../ports/tables.ts';
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
    const keys = [...new Set(named.map(sortKeyOf))].toSorted().toReversed();
    const rows: (Row | undefined)[] = [];
    for (let at = 0; at < keys.length; at += readTogether) {
      const some = keys.slice(at, at + readTogether);
      rows.push(...(await Promise.all(some.map((sk) => table.read({ pk: partitionOf(cluster), sk })))));
    }
    return rows.flatMap((row) => (row === undefined ? [] : [readBody(StoredRace, row)]));
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

function withoutManyNodes(race: Race): Race {
  return { ...race, missedNodes: race.missedNodes.slice(0, 500) };
}
