import { joinRaces, type Race } from '../../core/races/race.ts';
import { Transient } from '../../core/text/errors.ts';
import type { Races } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { StoredRace } from './stored/race.ts';
import type { Table } from './table.ts';

/** Seconds: 30 days. */
const keepSeconds = 30 * 24 * 3600;
/** More races than holds can exist at once on 20 pools; older ones are history. */
const mostLoaded = 200;
/** Few passes overlap on one race; more attempts mean that something is wrong. */
const mostTries = 10;

/** Races of a cluster, newest first. Overlapping passes merge what they know; the first known time stays. */
export function dynamoRaces(table: Table): Races {
  async function save(race: Race, known: { readonly race: Race; readonly version: number } | undefined, tries: number) {
    const joined = known === undefined ? race : joinRaces(known.race, race);
    const version = known?.version ?? 0;
    const key = { pk: `race#${race.cluster}`, sk: `${race.since}#${race.pool}#${race.hold}` };
    const written = await table.write(
      { ...key, body: fittingBody(joined, [withoutManyNodes]), version: version + 1, keepSeconds },
      known === undefined ? { kind: 'absent' } : { kind: 'version', version },
    );
    if (written.kind === 'written') return;
    if (tries === 0) throw new Transient(`race ${key.sk} is written by too many passes`, { kind: 'busy' });
    const { stored } = written;
    await save(race, stored && { race: readBody(StoredRace, stored), version: stored.version }, tries - 1);
  }

  return {
    async load(cluster) {
      const rows = await table.query({
        pk: `race#${cluster}`,
        newestFirst: true,
        limit: mostLoaded,
        consistent: true,
      });
      return rows.map((row) => readBody(StoredRace, row));
    },
    save: (race) => save(race, undefined, mostTries),
  };
}

function withoutManyNodes(race: Race): Race {
  return { ...race, missedNodes: race.missedNodes.slice(0, 500) };
}
