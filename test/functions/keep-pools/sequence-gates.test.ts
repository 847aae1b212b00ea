import { describe, expect, it } from 'vitest';
import { SequenceGate } from '../../../functions/core/configuration/sequence.ts';
import type { CelResult } from '../../../functions/core/sequences/judge-gate.ts';
import { withPreset } from '../../../functions/core/sequences/presets.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { askObjects } from '../../../functions/keep-pools/sequences/read-objects.ts';
import { type SequenceLab, sequenceLab } from './sequence-lab.ts';

type Data = Readonly<Record<string, unknown>>;

const shop = '/apis/apps/v1/namespaces/shop/deployments';

function labWith(objects: readonly Data[]): SequenceLab {
  const lab = sequenceLab({ wait: { kind: 'check', waitFor: { resourceType: 'deploy' } } });
  for (const [index, object] of objects.entries())
    lab.prod.objects.set(`${shop}/${index}`, {
      ...object,
      metadata: { name: `${index}`, ...Object(object['metadata']) },
    });
  return lab;
}

function ask(
  { lab: keep, prod }: SequenceLab,
  gate: Data,
  evaluate: () => CelResult = () => ({ kind: 'value', value: true }),
) {
  const wanted = withPreset(SequenceGate.parse({ resourceType: 'deploy', resourceNamespace: 'shop', ...gate }));
  return askObjects(wanted, { reader: prod.ports.reader, evaluate, clock: keep.ports.clock });
}

const going = { metadata: { deletionTimestamp: '2026-03-02T11:00:00Z' } };
const ready = { status: { phase: 'Ready' } };
const isReady = { path: 'status.phase', equals: 'Ready' };

function many(count: number, object: Data): readonly Data[] {
  return Array.from({ length: count }, () => object);
}

describe('a gate over objects that tenants may create', () => {
  it('[S2-3] [S2-11] [N-30] is not kept shut by objects that are being deleted and come first', async () => {
    const lab = labWith([...many(3, going), ready]);

    expect((await ask(lab, {})).kind).toBe('open');
    expect(lab.prod.read).toHaveLength(2);
  });

  it('[S2-3] asks for one page where that is enough', async () => {
    const lab = labWith(many(30, ready));

    expect((await ask(lab, {})).kind).toBe('open');
    expect(lab.prod.read).toHaveLength(1);
  });

  it('[S2-3] [N-30] finds the one that is meant behind 600 of others', async () => {
    expect((await ask(labWith([...many(600, {}), ready]), isReady)).kind).toBe('open');
  });

  it('[S2-9] [N-30] counts more than a page, and does not open because there are more than it reads', async () => {
    const atLeast = { ...isReady, count: { atLeast: 700 } };
    const atMost = { ...isReady, count: { atLeast: 0, atMost: 10 } };

    expect((await ask(labWith(many(700, ready)), atLeast)).kind).toBe('open');
    expect((await ask(labWith([...many(600, {}), ...many(11, ready)]), atMost)).kind).toBe('closed');
    expect(await ask(labWith([...many(5_400, {}), ...many(11, ready)]), atMost)).toMatchObject({ kind: 'refused' });
    expect(await ask(labWith(many(5_400, {})), isReady)).toEqual({
      kind: 'refused',
      value: 'there are more than 5000 objects: name one, or its namespace',
    });
  });

  it('[S2-3] [N-30] asks in smaller pages for objects so large that no answer could be read', async () => {
    const lab = labWith([...many(40, {}), ready]);
    const { reader } = lab.prod.ports;
    const bounded = {
      read: async (question: Parameters<typeof reader.read>[0]) =>
        Number(question.query['limit'] ?? 0) > 50
          ? { kind: 'failed' as const, why: 'too large', readAt: lab.lab.ports.clock(), isTooLarge: true }
          : reader.read(question),
    };

    const verdict = await askObjects(
      withPreset(SequenceGate.parse({ resourceType: 'deploy', resourceNamespace: 'shop', ...isReady })),
      {
        reader: bounded,
        evaluate: () => ({ kind: 'value', value: true }),
        clock: lab.lab.ports.clock,
      },
    );

    expect(verdict.kind).toBe('open');
  });

  it('[S2-3] [N-30] goes on in pages of the size that could be read', async () => {
    const lab = labWith([...many(400, {}), ready]);
    const { reader } = lab.prod.ports;
    let tooLarge = 0;
    const bounded = {
      read: async (question: Parameters<typeof reader.read>[0]) => {
        if (Number(question.query['limit'] ?? 0) <= 50) return reader.read(question);
        tooLarge += 1;
        return { kind: 'failed' as const, why: 'too large', readAt: lab.lab.ports.clock(), isTooLarge: true };
      },
    };

    await askObjects(
      withPreset(SequenceGate.parse({ resourceType: 'deploy', resourceNamespace: 'shop', ...isReady })),
      { reader: bounded, evaluate: () => ({ kind: 'value', value: false }), clock: lab.lab.ports.clock },
    );

    // 500, then 125, then 32 for this page and each that follows.
    expect(tooLarge).toBe(2);
  });

  it('[S2-3] [N-30] is not judged for longer than two seconds by an expression that takes nearly as long as it may on each', async () => {
    const lab = labWith(many(500, {}));
    let evaluated = 0;

    const verdict = await ask(lab, { cel: 'object.spec.ready' }, () => {
      evaluated += 1;
      const { clock } = lab.lab.world;
      clock.set(new Date(clock.now().getTime() + 99));
      return { kind: 'value', value: false };
    });

    expect(verdict).toMatchObject({ kind: 'refused' });
    expect(evaluated).toBeLessThan(25);
  });
});

describe('a check whose Job cannot be made, as where a webhook of Jobs is down', () => {
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
  const path = '/api/v1/namespaces/shop/configmaps/settings';

  /** A check after one object and before another; no Job can be made until `mend`. */
  async function failing(waitFor: Data) {
    const image = 'registry.example.com/check:v1';
    const lab = sequenceLab(
      {
        first: { kind: 'check', wave: 1, waitFor: { image, timeoutSeconds: 1_200, ...waitFor } },
        second: { kind: 'object', object: 'settings', wave: 2 },
      },
      { extraObjects: { settings } },
    );
    const { writer } = lab.prod.ports;
    if (writer === undefined) throw new Error('the lab can write');
    const { create } = writer;
    const down = async () => {
      throw new Transient('POST jobs: 500, failed calling webhook', { kind: 'unreachable', isAnswered: true });
    };
    Object.assign(writer, { create: down });
    const ticks = async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) await lab.tick();
    };
    return { lab, ticks, mend: () => Object.assign(writer, { create }) };
  }

  it('[S2-6] [S2-10] [N-30] is told after some minutes, with why, and runs once it can be made', async () => {
    const { lab, ticks, mend } = await failing({});

    await ticks(8);
    const told = lab.lab.world.tables.incidents.all().map(({ key, trouble }) => [key.kind, JSON.stringify(trouble)]);
    mend();
    await ticks(1);

    expect(told).toEqual([['sequence-stuck', expect.stringContaining('failed calling webhook')]]);
    expect([...lab.prod.objects.keys()].filter((each) => each.includes('/jobs/'))).toHaveLength(1);
    expect(lab.lab.troubles()).toEqual([]);
  });

  it.each(['proceed', 'abort'])(
    '[S2-10] [N-30] passes no gate and fails none when its time is up: %s',
    async (onTimeout) => {
      const { lab, ticks } = await failing({ onTimeout });

      await ticks(45);

      expect(lab.record().aborted).toBeUndefined();
      expect(lab.prod.objects.has(path)).toBe(false);
    },
  );
});
