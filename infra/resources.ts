import type { ClusterTicks } from './constructs/cluster-ticks.ts';
import type { HttpEntry } from './constructs/http-entry.ts';
import type { PublishedEvents } from './constructs/published-events.ts';
import type { StateTable } from './constructs/state-table.ts';
import type { Functions } from './functions.ts';
import type { Queues } from './queues.ts';
import type { Settings } from './settings.ts';

/** Everything in the stack that alarms watch and the dashboard shows. */
export interface Resources extends Queues {
  readonly settings: Settings;
  readonly functions: Functions;
  readonly http: HttpEntry;
  readonly ticks: ClusterTicks;
  readonly events: PublishedEvents;
  readonly table: StateTable;
}
