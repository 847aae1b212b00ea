import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { type SequenceRequest, sequenceRecordText, withRequest } from '../../../functions/core/sequences/record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { type SequenceLab, sequenceLab, sequenceName } from './sequence-lab.ts';

const key = `poolkeeper/${sequenceName}`;
const path = '/api/v1/namespaces/shop/configmaps/settings';
const [first, gate] = ['first@prod', 'second@prod/waitFor'];
const classPath = '/apis/storage.k8s.io/v1/storageclasses/ceph';

async function ticks(count: number, { tick }: SequenceLab): Promise<void> {
  for (let done = 0; done < count; done += 1) await tick();
}

/** An object is applied, and a gate after it aborts the sequence five minutes later. */
async function begun(): Promise<SequenceLab> {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
  const waitFor = { resourceType: 'sc', resourceName: 'ceph', timeoutSeconds: 300, onTimeout: 'abort' };
  const lab = sequenceLab(
    { first: { kind: 'object', object: 'settings', wave: 1 }, second: { kind: 'check', wave: 2, waitFor } },
    { extraObjects: { settings } },
  );
  await ticks(5, lab);
  expect(lab.record().items[first]?.state).toBe('healthy');
  return lab;
}

type Kind = SequenceRequest['kind'];

/** Somebody asks for it in the record, as the command does. */
function asks(lab: SequenceLab, kind: Kind): void {
  const said = { who: 'anna', why: 'I know', at: lab.lab.world.clock.now().toISOString() };
  const request: SequenceRequest = kind === 'skip' ? { kind, item: gate, said } : { kind, said };
  const resourceVersion = String(Number(lab.prod.records.get(key)?.resourceVersion) + 1);
  lab.prod.records.set(key, { text: sequenceRecordText(withRequest(lab.record(), request)), resourceVersion });
}

/** Before each call to the cluster. */
function beforeCalls({ prod: { ports } }: SequenceLab, happens: (what: string) => void): void {
  for (const port of [ports.sequenceRecords, ports.writer, ports.reader].filter((each) => each !== undefined))
    for (const [name, call] of Object.entries(port))
      Object.assign(port, {
        [name]: (...given: readonly unknown[]) => {
          happens(name);
          return call(...given);
        },
      });
}

function blames({ record }: SequenceLab): readonly string[] {
  const { items, log } = record();
  return [...log.map(({ what }) => what), ...Object.values(items).map(({ value }) => value)].filter((text) =>
    text.includes('somebody'),
  );
}

describe('an abort', () => {
  it('[S2-10] [N-30] is told as one incident for as long as it stands, and ends with go-on', async () => {
    const all = await begun();
    asks(all, 'abort');
    const troubles: string[] = [];
    for (let minute = 0; minute < 12; minute += 1) {
      await all.tick();
      troubles.push(...all.lab.troubles());
    }
    expect(troubles).toEqual(Array.from({ length: 12 }, () => 'sequence-stuck'));
    expect(all.record().cleanedAt).toBeDefined();
    expect(all.lab.told().filter((each) => each === 'incident.resolved')).toEqual([]);

    asks(all, 'go-on');
    await ticks(2, all);
    expect(all.lab.troubles()).toEqual([]);
  });

  it('[S2-7] [S2-10] is told no more once the sequence is left out by the configuration', async () => {
    const all = await begun();
    asks(all, 'abort');
    await ticks(2, all);

    all.configure({ disabled: true });
    await ticks(2, all);

    expect(all.lab.troubles()).toEqual([]);
    expect(all.record().cleanedAt).toBeDefined();
  });

  it('[N-22] [N-30] deletes nothing before the cluster has a record that says so', async () => {
    const lab = await begun();
    const known: unknown[] = [];
    beforeCalls(lab, (what) => {
      const { aborted, items } = lab.record();
      if (what === 'remove') known.push([aborted?.who, items[first]?.value]);
    });

    await ticks(8, lab);

    expect(known).toEqual([['poolkeeper', 'is being taken back']]);
    expect(lab.prod.objects.has(path)).toBe(false);
    expect(lab.record().cleanedAt).toBeDefined();
    expect(lab.record().log.map(({ what }) => what)).toEqual([
      'begun',
      'healthy: applied',
      'begun',
      'aborted: second@prod/waitFor was not open in time',
      'unhealthy: is being taken back',
    ]);
  });

  it('[N-22] [N-30] whose record cannot be saved deletes nothing', async () => {
    const lab = await begun();
    beforeCalls(lab, (what) => {
      if (what === 'save') throw new Transient('PUT: 503', { kind: 'unreachable' });
    });

    await ticks(20, lab);

    expect(lab.prod.objects.has(path)).toBe(true);
  });

  it('[N-22] [N-30] that could not delete at first does not when it was told to go on meanwhile', async () => {
    const lab = await begun();
    let isDenied = true;
    let deleted = 0;
    beforeCalls(lab, (what) => {
      if (what !== 'remove') return;
      if (isDenied) throw new Transient('DELETE: 403', { kind: 'forbidden' });
      deleted += 1;
    });
    asks(lab, 'abort');
    await ticks(3, lab);
    expect(lab.record().items[first]?.value).toBe('is being taken back');

    let isAsked = false;
    beforeCalls(lab, (what) => {
      if (isAsked || what !== 'read') return;
      isAsked = true;
      isDenied = false;
      lab.prod.objects.set(classPath, { metadata: { name: 'ceph' } });
      asks(lab, 'go-on');
    });
    await ticks(8, lab);

    expect([isAsked, deleted, lab.prod.objects.has(path)]).toEqual([true, 0, true]);
    expect(lab.record().items[first]?.state).toBe('healthy');
    expect(lab.record().log.filter(({ what }) => what.includes('taken back'))).toHaveLength(1);
  });

  it.each(['skip', 'pause', 'go-on', 'abort'] as const)(
    '[N-22] [N-30] and %s at any moment of it: what is deleted is known as deleted, or is there again',
    async (kind) => {
      let isAsked = true;
      let moments = 0;
      for (let moment = 0; isAsked; moment += 1) {
        moments = moment;
        const lab = await begun();
        let calls = 0;
        isAsked = false;
        beforeCalls(lab, () => {
          calls += 1;
          if (isAsked || calls <= moment) return;
          isAsked = true;
          asks(lab, kind);
          lab.prod.objects.set(classPath, { metadata: { name: 'ceph' } });
        });
        // The third of these aborts it, and the others take back what it applied.
        await ticks(6, lab);
        if (!isAsked) break;
        await ticks(8, lab);

        const { aborted, cleanedAt, items } = lab.record();
        const isThere = lab.prod.objects.has(path);
        const about = `${kind} before call ${moment}`;
        expect(blames(lab), about).toEqual([]);
        expect([isThere, cleanedAt === undefined], about).toEqual(
          aborted === undefined ? [true, true] : [false, false],
        );
        expect(items[first]?.state, about).toBe(aborted === undefined ? 'healthy' : 'unhealthy');
      }
      expect(moments).toBeGreaterThan(20);
    },
  );

  it('[S2-12] [N-22] and go-on while its object is still being deleted: it is applied when it is gone, and told', async () => {
    const lab = await begun();
    const object = Object(lab.prod.objects.get(path));
    lab.prod.objects.set(path, { ...object, metadata: { ...object.metadata, finalizers: ['example.com/slow'] } });
    asks(lab, 'abort');
    await ticks(3, lab);
    expect(lab.record().items[first]?.value).toBe('is being taken back');

    lab.prod.objects.set(classPath, { metadata: { name: 'ceph' } });
    asks(lab, 'go-on');
    await ticks(8, lab);
    expect(lab.record().items[first]).toMatchObject({ state: 'unhealthy', value: 'it is being deleted' });
    expect(lab.lab.troubles()).toEqual(['sequence-stuck']);
    lab.prod.objects.delete(path);
    lab.prod.remade(path);
    await ticks(8, lab);

    expect(memberOf(lab.prod.objects.get(path), 'metadata')).toMatchObject({ name: 'settings' });
    expect(lab.record().items[first]?.state).toBe('healthy');
    expect(blames(lab)).toEqual([]);
  });
});
