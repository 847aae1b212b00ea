import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import {
  emptySequenceRecord,
  parseSequenceRecord,
  sequenceRecordText,
  withRequest,
} from '../../../functions/core/sequences/record.ts';
import type { Watch } from '../failing-calls.ts';
import type { SequenceLab } from './sequence-lab.ts';

/** Minutes, with what is done to each call. */
export async function ticks(count: number, { tick }: SequenceLab, watch?: Watch): Promise<void> {
  for (let done = 0; done < count; done += 1) await tick(watch);
}

export async function timelineOf({ lab }: Pick<SequenceLab, 'lab'>): Promise<readonly string[]> {
  return (await lab.ports.timeline.latest(60)).map(({ text }) => text);
}

export function configureClusters(
  { lab }: SequenceLab,
  change: (configuration: Configuration) => Partial<Configuration>,
) {
  const { configuration } = lab.ports;
  Object.assign(lab.ports, { configuration: { ...configuration, ...change(configuration) } });
}

/** Only clusters of these names are configured, all with the settings of the first one. */
export function only(all: SequenceLab, ...names: readonly string[]): void {
  configureClusters(all, ({ clusters: [first] }) => ({
    clusters: names.flatMap((name) => (first === undefined ? [] : [{ ...first, name }])),
  }));
}

type Asked =
  | { readonly kind: 'pause' | 'abort' | 'go-on'; readonly who: string }
  | { readonly kind: 'skip'; readonly who: string; readonly item: string };

/** As people do by command: into the record that is there, or a new one. */
export function ask({ lab }: SequenceLab, { who, ...asked }: Asked, on: SequenceLab['prod'], at: string): void {
  const said = { who, why: 'storage is being moved', at: lab.world.clock.now().toISOString() };
  const stored = on.records.get(at);
  const record = stored === undefined ? emptySequenceRecord : parseSequenceRecord(stored.text);
  if (record === 'unreadable') throw new Error('there is no record');
  const text = sequenceRecordText(withRequest(record, { ...asked, said }));
  on.records.set(at, { text, resourceVersion: stored?.resourceVersion });
}
