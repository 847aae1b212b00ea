import type { IncidentDue, WorkEvent } from '../../events/index.ts';
import { type FakeArgoCd, fakeArgoCd } from './fake-argocd.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { fakeLogger } from './fake-logger.ts';
import { type FakeLooker, fakeLooker } from './fake-object-reader.ts';
import { type FakePools, fakePools } from './fake-pools.ts';
import { type FakeBus, type FakeQueue, fakeAlertQueue, fakeBus, fakeWorkQueue } from './fake-queues.ts';
import { type FakeRenderings, fakeRenderings } from './fake-renderings.ts';
import { type FakeTables, fakeTables } from './fake-tables.ts';
import { createFaults, type Faults } from './faults.ts';

/** One cluster, one Argo CD, the table, the queues and the bus, under one clock and one set of faults. */
export interface FakeWorld {
  readonly clock: FakeClock;
  readonly faults: Faults;
  readonly pools: FakePools;
  readonly argocd: FakeArgoCd;
  readonly reader: FakeLooker;
  readonly renderings: FakeRenderings;
  readonly tables: FakeTables;
  readonly work: FakeQueue<WorkEvent>;
  readonly alerts: FakeQueue<IncidentDue>;
  readonly bus: FakeBus;
  readonly logger: ReturnType<typeof fakeLogger>;
}

export function fakeWorld(start?: Date | string): FakeWorld {
  const clock = fakeClock(start);
  const faults = createFaults();
  return {
    clock,
    faults,
    pools: fakePools({ clock: clock.now, faults }),
    argocd: fakeArgoCd({ faults }),
    reader: fakeLooker({ clock: clock.now, faults }),
    renderings: fakeRenderings({ faults }),
    tables: fakeTables(faults),
    work: fakeWorkQueue(clock.now, faults),
    alerts: fakeAlertQueue(clock.now, faults),
    bus: fakeBus(faults),
    logger: fakeLogger(),
  };
}
