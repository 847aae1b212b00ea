import { describe, expect, test } from 'vitest';
import { slackMessage } from '../../../../functions/core/alerts/message/slack.ts';
import type { TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import { mentioningPushers } from '../../../../functions/core/judge/mention-pushers.ts';
import type { PoolRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { aHold, aPool, aRecord } from '../../../fakes/builders.ts';
import { drainBlocked, firing, resolved, sampleNow } from '../alerts/samples.ts';

const people = ['slack:U0000ALICE github:Alice', 'slack:U00000BOB aws:AIDA000000000000 github:bob', 'slack:U0000CAROL'];
const asked = 'rendered-worker-gpu-next';
const resumed = { did: 'resumed', at: '2026-03-02T13:00:00Z', why: 'synced', asked } as const;

interface Observed {
  readonly record: Partial<PoolRecord>;
  readonly kind?: TroubleKind;
  readonly pending?: boolean;
  readonly since?: string;
}

function mentionsIn({ record, kind = 'run-failed', pending = true, since = drainBlocked.since }: Observed) {
  const pool = aPool({
    name: 'worker-gpu',
    record: { kind: 'record', record: aRecord({ holds: [], ...record }) },
    ...(pending ? { target: { name: asked, sources: [] } } : {}),
  });
  const trouble = { ...drainBlocked, since, key: { ...drainBlocked.key, pool: 'worker-gpu', kind } };
  return mentioningPushers([trouble], seen([{ pool, nodes: notAsked, people }]))[0]?.mentions;
}

function released(pushers: readonly string[]): Partial<PoolRecord> {
  const at = '2026-03-02T13:00:00Z';
  return { release: { since: at, finishedAt: at, machineConfigs: [], why: 'synced', pushers: [...pushers] } };
}

describe('[N-34] an incident of a push names who pushed, by the ids of the configuration', () => {
  test('whoever it was at GitHub, in whatever case', () => {
    expect(mentionsIn({ record: released(['ALICE', 'bob', 'carol', '']) })).toEqual(['U0000ALICE', 'U00000BOB']);
  });

  test('also after the resume, as long as something rolls out', () => {
    const record = { last: { ...resumed, pushers: ['bob'] } };

    expect(mentionsIn({ record, kind: 'drain-blocked' })).toEqual(['U00000BOB']);
    expect(mentionsIn({ record, kind: 'drain-blocked', pending: false })).toBeUndefined();
  });

  test('[N-30] and not of what was rendered after the resume, as by an upgrade', () => {
    const record = { last: { ...resumed, asked: 'rendered-worker-gpu-before', pushers: ['bob'] } };

    expect(mentionsIn({ record, kind: 'node-degraded' })).toBeUndefined();
  });

  const held = {
    holds: [aHold({ since: '2026-03-02T13:00:01Z', pushedAt: '2026-03-02T13:00:00Z', pushers: ['bob'] })],
  };

  test.each([
    ['a push that is waited for', held],
    ['a sync that has ended', released(['bob'])],
    ['a resume', { last: { ...resumed, pushers: ['bob'] } }],
  ])('[N-30] and of %s only what began after it', (_, record) => {
    const old = '2026-03-01T13:00:00Z';

    expect(mentionsIn({ record, kind: 'node-degraded', since: '2026-03-02T13:05:00Z' })).toEqual(['U00000BOB']);
    expect(mentionsIn({ record, kind: 'node-degraded', since: old })).toBeUndefined();
    expect(mentionsIn({ record, kind: 'paused-too-long', since: old })).toEqual(['U00000BOB']);
  });

  test('and nobody where no push can have caused it, or where it is not known who pushed', () => {
    expect(mentionsIn({ record: released(['bob']), kind: 'node-lost' })).toBeUndefined();
    expect(mentionsIn({ record: {} })).toBeUndefined();
  });

  test.each(['<!channel>', '<!here>', '<@U00000EVE>', 'slack:U00000EVE', 'github:bob', 'bob slack:U00000EVE', '*'])(
    'and nothing of a login like %s',
    (login) => {
      expect(mentionsIn({ record: released([login]) })).toBeUndefined();
    },
  );
});

describe('[N-34] the message in Slack', () => {
  const opening = { now: sampleNow, occasion: 'opened', statusUrl: undefined, product: 'poolkeeper 0.1.0' } as const;
  const mentioned = { ...drainBlocked, mentions: ['U0000ALICE', '!channel', '!here', 'S0123456789', 'U1> <!channel'] };

  test('mentions people, and whatever else is in the row is no mention', () => {
    const text = JSON.stringify(slackMessage({ ...firing, trouble: mentioned }, opening).blocks);

    expect(text).toContain('Pushed by <@U0000ALICE>');
    expect(text.match(/<[!@][^>]*>/g)?.filter((each) => !each.startsWith('<!date^'))).toEqual(['<@U0000ALICE>']);
  });

  test('mentions nobody after the end', () => {
    const text = JSON.stringify(slackMessage({ ...resolved, trouble: mentioned }, opening).blocks);

    expect(text).not.toContain('<@');
  });
});
