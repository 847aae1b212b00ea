import { describe, expect, test } from 'vitest';
import { Approve } from '../../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { approval } from '../../../../functions/core/gates/approval.ts';
import { type Approval, countApprovals } from '../../../../functions/core/gates/approvals.ts';
import { askGates } from '../../../../functions/core/gates/ask-gates.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import type { GateQuestion } from '../../../../functions/core/gates/gate.ts';
import { gates } from '../../../../functions/core/gates/index.ts';
import type { ImageBuild } from '../../../../functions/core/openshift/image-build.ts';
import { notAsked, seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { anImageBuild, anImageConfig, aPool, noImages } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { aGateQuestion } from './a-gate-question.ts';

const now = new Date('2026-03-02T10:10:00Z');
const config = 'rendered-worker-bbb';
const [alice, bob, carol] = ['slack:U0000ALICE', 'slack:U00000BOB', 'aws:AIDACAROL12345678'] as const;

const approve = Approve.parse({
  by: [`${alice} github:alice aws:AROAALICE1234567:alice@example.org`, `${bob} github:bob`, `${carol} github:carol`],
  needed: 2,
});

const release = {
  since: '2026-03-02T10:00:00Z',
  finishedAt: '2026-03-02T10:00:00Z',
  machineConfigs: [],
  why: 'synced',
};

function anApproval(who: string, change: Partial<Approval> = {}): Approval {
  return {
    cluster: 'prod',
    pool: 'worker',
    config,
    who,
    name: '',
    verb: 'approve',
    at: '2026-03-02T10:05:00Z',
    reason: '',
    ...change,
  };
}

function question(approvals: readonly Approval[], change: Partial<GateQuestion> = {}): GateQuestion {
  const pool = aPool({ paused: true, target: { name: config, sources: [] } });
  const evidence = { ...noEvidence, approvals: seen(approvals), images: noImages };
  return aGateQuestion({ pool, settings: { ...defaultPoolSettings, approve }, release, evidence, now, ...change });
}

function why(asked: GateQuestion): string {
  const answer = approval.ask(asked);
  return answer.open ? 'open' : answer.why;
}

describe('approval', () => {
  test('[N-17] is open once as many people of the list as needed have approved this rendered config', () => {
    expect(why(question([]))).toBe(`${config} needs 2 approvals: nobody has approved`);
    expect(why(question([anApproval(alice)]))).toBe(`${config} needs 2 approvals: ${alice} approved`);
    expect(
      approval.ask(question([anApproval(bob), anApproval(alice, { name: 'alice', at: '2026-03-02T10:01:00Z' })])),
    ).toEqual({ open: true, because: `approved by ${alice} (alice) and ${bob}` });
  });

  test('[N-17] says who may still open it, and how', () => {
    const answer = approval.ask(question([anApproval(carol)]));

    expect(answer).toMatchObject({
      open: false,
      value: '1 of 2 approvals',
      threshold: '2 approvals',
      opens: '1 more approval, in Slack or on the command line',
      who: `1 of ${approve.by[0]} and ${approve.by[1]}`,
      how: `poolkeeper approve --cluster prod --pool worker --config ${config} --reason "..."`,
    });
  });

  test.each<readonly [string, readonly Approval[]]>([
    ['given twice by the same person', [anApproval(alice), anApproval(alice, { at: '2026-03-02T10:06:00Z' })]],
    ['of one person under two names', [anApproval(alice), anApproval('aws:AROAALICE1234567:alice@example.org')]],
    ['of somebody who is not on the list', [anApproval(alice), anApproval('slack:U0MALLORY')]],
    ['of another session of a role', [anApproval(alice), anApproval('aws:AROAALICE1234567:bob@example.org')]],
    ['by the name at GitHub, which is no proof', [anApproval(alice), anApproval('github:bob')]],
    ['for another rendered config', [anApproval(alice), anApproval(bob, { config: 'rendered-worker-aaa' })]],
    ['that has expired', [anApproval(alice), anApproval(bob, { at: '2026-03-01T22:10:00Z' })]],
    ['from the future', [anApproval(alice), anApproval(bob, { at: '2026-03-02T10:16:00Z' })]],
    ['at no time', [anApproval(alice), anApproval(bob, { at: 'now' })]],
    ['that was revoked', [anApproval(alice), anApproval(bob, { verb: 'revoke' })]],
  ])('[N-17] does not count an approval %s', (_, approvals) => {
    expect(why(question(approvals))).toContain('needs 2 approvals');
  });

  const named = (hex: string) => `${config}@sha256:${hex.repeat(64)}`;

  /** Its image, built for one rendered config, after another one. */
  function inImageMode(approvals: readonly Approval[], state: ImageBuild['state'] = 'succeeded'): GateQuestion {
    const image = `registry.example.com/os@sha256:${'b'.repeat(64)}`;
    const images = {
      kind: 'listed' as const,
      configs: [anImageConfig({ image })],
      builds: [anImageBuild({ config, image, state })],
      unreadable: [],
      isServed: true,
    };
    return question([], { evidence: { ...noEvidence, approvals: seen(approvals), images: seen(images) } });
  }

  test('[N-17] [N-30] in image mode counts what was said of the image, not of another of the same config', () => {
    const of = (hex: string) => [anApproval(alice, { config: named(hex) }), anApproval(bob, { config: named(hex) })];

    expect(why(inImageMode(of('b')))).toBe('open');
    expect(why(inImageMode(of('a')))).toBe(`${named('b')} needs 2 approvals: nobody has approved`);
    expect(why(inImageMode([anApproval(alice), anApproval(bob)]))).toContain('nobody has approved');
    expect(why(question(of('b')))).toBe(`${config} needs 2 approvals: nobody has approved`);
    expect(approval.ask(inImageMode([]))).toMatchObject({
      approves: named('b'),
      how: `poolkeeper approve --cluster prod --pool worker --config ${named('b')} --reason "..."`,
    });
  });

  test('[N-17] [N-30] who revokes by the config alone revokes for each of its images', () => {
    const given = [anApproval(alice, { config: named('b') }), anApproval(bob, { config: named('b') })];
    const revoked = anApproval(bob, { verb: 'revoke', at: '2026-03-02T10:06:00Z' });

    expect(why(inImageMode([...given, revoked]))).toContain(`${alice} approved`);
  });

  test.each(['under-way', 'failed', 'interrupted'] as const)(
    '[N-17] [N-30] asks nobody while the build of its image is %s, whatever was approved',
    (state) => {
      const answer = approval.ask(inImageMode([anApproval(alice), anApproval(bob)], state));

      expect(answer).toMatchObject({ open: false, value: 'no image yet' });
      expect(answer).not.toHaveProperty('approves');
      expect(answer).not.toHaveProperty('how');
    },
  );

  test('[N-17] [N-30] does not count what cannot be told from another image', () => {
    const both = [anApproval(alice), anApproval(bob)];
    const withImages = (images: GateQuestion['evidence']['images']) =>
      question(both, { evidence: { ...noEvidence, approvals: seen(both), images } });

    expect(approval.ask(withImages(notAsked))).toMatchObject({ open: false, lacks: 'images' });
    expect(why(withImages(unreadable('no answer')))).toBe('which image it rolls out could not be read: no answer');
  });

  test('[N-17] counts until the very end of its time, and by how long the list says', () => {
    const given = [anApproval(alice, { at: '2026-03-01T22:10:01Z' }), anApproval(bob)];

    expect(why(question(given))).toBe('open');
    expect(why(question(given, { now: new Date('2026-03-02T10:10:01Z') }))).toContain('needs 2 approvals');
  });

  test('[N-17] who revokes revokes for every name, and may approve again', () => {
    const revoked = anApproval('aws:AROAALICE1234567:alice@example.org', {
      verb: 'revoke',
      at: '2026-03-02T10:06:00Z',
    });
    const again = anApproval(alice, { at: '2026-03-02T10:07:00Z' });

    expect(why(question([anApproval(bob), anApproval(alice), revoked]))).toContain(`${bob} approved`);
    expect(why(question([anApproval(bob), again, revoked]))).toBe('open');
  });

  test.each<readonly [string, GateQuestion['rolledOut'], string | undefined]>([
    ['counts where nothing is known of what was let go', undefined, undefined],
    [
      'counts after another change was let go',
      { change: 'rendered-worker-aaa', at: '2026-03-02T10:04:59Z' },
      undefined,
    ],
    ['counts where its own change was let go after it', { change: config, at: '2026-03-02T10:06:00Z' }, undefined],
    [
      'counts where another was let go before it, and its own after it',
      {
        ...{ change: config, at: '2026-03-02T10:06:00Z' },
        before: { change: 'rendered-worker-aaa', at: '2026-03-02T10:04:59Z' },
      },
      undefined,
    ],
    [
      'does not count once another was let go, not in that moment either',
      { change: 'rendered-worker-aaa', at: '2026-03-02T10:05:00Z' },
      'rendered-worker-aaa',
    ],
    [
      'does not count where another was let go after it, and then its own',
      {
        ...{ change: config, at: '2026-03-02T10:08:00Z' },
        before: { change: 'rendered-worker-ccc', at: '2026-03-02T10:06:00Z' },
      },
      'rendered-worker-ccc',
    ],
    [
      'of a config without its image does not count once an image of it was let go',
      { change: `${config}@sha256:${'0b'.repeat(32)}`, at: '2026-03-02T10:06:00Z' },
      `${config} with image sha256:0b0b0b0b0b0b`,
    ],
  ])('[S3-14] an approval %s', (_, rolledOut, by) => {
    const given = [anApproval(alice), anApproval(bob, { at: '2026-03-02T10:09:00Z' })];
    const asked = question(given, { rolledOut });

    expect(why(asked)).toBe(
      by === undefined
        ? 'open'
        : `${config} needs 2 approvals: ${bob} approved; ${alice} approved it at 2026-03-02T10:05:00Z, before ${by} was rolled out: that does not count again`,
    );
    expect(approval.ask(asked)).toMatchObject(by === undefined ? { open: true } : { value: '1 of 2 approvals' });
  });

  test('[S3-14] nobody is said to have approved before who has revoked that, or pushed the change, or too long ago', () => {
    const strict = { ...defaultPoolSettings, approve: { ...approve, excludePusher: true } };
    const given = [
      anApproval(alice),
      anApproval(bob),
      anApproval(bob, { verb: 'revoke', at: '2026-03-02T10:06:00Z' }),
      anApproval(carol, { at: '2026-03-01T22:10:00Z' }),
    ];
    const rolledOut = { change: 'rendered-worker-aaa', at: '2026-03-02T10:07:00Z' };
    const asked = question(given, { settings: strict, release: { ...release, pushers: ['alice'] }, rolledOut });

    expect(why(asked)).toBe(`${config} needs 2 approvals: nobody has approved`);
  });

  test('[N-17] who pushed the change may be excluded, however the login is written', () => {
    const strict = { ...defaultPoolSettings, approve: { ...approve, excludePusher: true } };
    const pushed = { ...release, pushers: ['Alice'] };
    const both = [anApproval(alice), anApproval(bob)];

    expect(why(question(both, { settings: strict, release: pushed }))).toContain(`2 approvals: ${bob} approved`);
    expect(why(question([...both, anApproval(carol)], { settings: strict, release: pushed }))).toBe('open');
  });

  test('[N-17] where it is not known who pushed, one more person has to approve', () => {
    const strict = { ...defaultPoolSettings, approve: { ...approve, excludePusher: true } };
    const both = [anApproval(alice), anApproval(bob)];

    for (const of of [{ ...release, pushers: [''] }, release, undefined]) {
      expect(why(question(both, { settings: strict, release: of }))).toContain('needs 3 approvals');
      expect(why(question([...both, anApproval(carol)], { settings: strict, release: of }))).toBe('open');
    }
  });

  test('[N-17] says so when fewer people are left than are needed', () => {
    const strict = { ...defaultPoolSettings, approve: { ...approve, needed: 3, excludePusher: true } };
    const answer = approval.ask(question([], { settings: strict, release: { ...release, pushers: ['bob'] } }));

    expect(answer).toMatchObject({ opens: expect.stringContaining('2 are left and 3 are needed') });
  });

  test('[N-17] nothing is asked where nothing is pending, and where nobody has to approve', () => {
    const idle = aPool({ paused: true });

    expect(why(question([], { pool: { ...idle, target: idle.current } }))).toBe('open');
    expect(why(question([], { settings: defaultPoolSettings }))).toBe('open');
    expect(
      why(question([], { settings: { ...defaultPoolSettings, approve: { ...approve, when: 'sync-failed' } } })),
    ).toBe('open');
  });

  test('[S0-9] after a failed sync it is asked, also where only then, and is closed where nobody is named', () => {
    const failed = { ...release, afterFailed: ['sync/hub/openshift-gitops/nodes'] };
    const only = { ...defaultPoolSettings, approve: { ...approve, when: 'sync-failed' as const } };

    expect(why(question([], { settings: only, release: failed }))).toBe(
      `the sync of openshift-gitops/nodes failed or was cut off, ${config} needs 2 approvals: nobody has approved`,
    );
    expect(why(question([anApproval(alice), anApproval(bob)], { settings: only, release: failed }))).toBe('open');
    expect(why(question([anApproval(alice)], { settings: defaultPoolSettings, release: failed }))).toContain(
      'nobody is named who may approve',
    );
  });

  test('[N-17] is closed while the approvals cannot be read, and says so', () => {
    expect(why(question([], { evidence: { ...noEvidence, approvals: unreadable('the table is down') } }))).toBe(
      'who has approved it could not be read: the table is down',
    );
  });

  test('[N-17] the approvals are read even while another gate is closed, so that people can approve ahead of a window', () => {
    const denied = {
      kind: 'deny',
      from: '2026-03-01',
      to: '2026-03-04',
      timeZone: 'UTC',
      pools: [],
      labels: {},
    } as const;
    const waiting = question([], { evidence: noEvidence, windows: [denied] });
    const plain = question([], { evidence: noEvidence, windows: [denied], settings: defaultPoolSettings });

    expect(askGates(gates, waiting).lacking).toBe('approvals');
    expect(askGates(gates, plain).lacking).toBeUndefined();
  });
});

describe('the count of approvals', () => {
  const people = ['slack:U00000001', 'slack:U00000002', 'slack:U00000003', 'aws:AIDA1234567890AB'] as const;
  const instants = fc.integer({ min: -48 * 60, max: 30 }).map((minutes) => new Date(now.getTime() + minutes * 60_000));
  const said = fc.record({
    cluster: fc.constant('prod'),
    pool: fc.constant('worker'),
    config: fc.constantFrom(config, 'rendered-worker-aaa'),
    who: fc.constantFrom(...people, 'slack:U0MALLORY', 'github:mallory'),
    name: fc.constant(''),
    verb: fc.constantFrom('approve' as const, 'revoke' as const),
    at: instants.map((at) => at.toISOString()),
    reason: fc.constant(''),
  });
  const asked = fc.record({
    approvals: fc.array(said, { maxLength: 12 }),
    by: fc.uniqueArray(fc.constantFrom(...people), { minLength: 1 }),
    needed: fc.integer({ min: 1, max: 3 }),
    expiresSeconds: fc.integer({ min: 300, max: 86_400 }),
  });
  const changes = fc.constantFrom(config, 'rendered-worker-aaa', 'rendered-worker-ccc');
  const letGo = fc.record({ change: changes, at: instants.map((at) => at.toISOString()) });
  type Asked = { approvals: readonly Approval[]; by: readonly string[]; needed: number; expiresSeconds: number };
  const count = ({ approvals, ...settings }: Asked, at = now, rolledOut: GateQuestion['rolledOut'] = undefined) =>
    countApprovals({
      approve: { ...settings, excludePusher: false, when: 'always' },
      change: config,
      release: undefined,
      approvals,
      rolledOut,
      now: at,
    });

  test('[N-17] never has more than one for each person, and only people of the list for this config in its time', () => {
    fc.assert(
      fc.property(asked, (each) => {
        const { given } = count(each);
        expect(new Set(given.map(({ who }) => who)).size).toBe(given.length);
        for (const { who, config: of, at, verb } of given) {
          expect(each.by).toContain(who);
          expect([of, verb]).toEqual([config, 'approve']);
          expect(Date.parse(at) + each.expiresSeconds * 1000).toBeGreaterThan(now.getTime());
        }
      }),
    );
  });

  test('[S3-14] is that of what was said since another change was let go, whatever was said before', () => {
    fc.assert(
      fc.property(asked, letGo, fc.option(letGo, { nil: undefined }), (each, last, before) => {
        const rolledOut = { ...last, ...(before && { before }) };
        const other = last.change === config ? before : last;
        const isLater = ({ at }: Approval) => other === undefined || Date.parse(at) > Date.parse(other.at);
        const { given, missing, spent } = count(each, now, rolledOut);
        const own = count({ ...each, approvals: each.approvals.filter(isLater) });
        expect({ given, missing }).toEqual({ given: own.given, missing: own.missing });
        expect(spent.filter(isLater)).toEqual([]);
        expect([...given, ...spent]).toHaveLength(count(each).given.length);
      }),
    );
  });

  test('[N-17] is the same in any order and after any replay', () => {
    fc.assert(
      fc.property(asked, fc.infiniteStream(fc.nat()), (each, order) => {
        const shuffled = [...each.approvals, ...each.approvals]
          .map((approval) => ({ approval, at: order.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ approval }) => approval);
        expect(count({ ...each, approvals: shuffled })).toEqual(count(each));
      }),
    );
  });

  test('[N-17] opens the gate exactly when it is high enough, whatever the other gates say, and never closed by one more', () => {
    fc.assert(
      fc.property(asked, fc.constantFrom(...people), (each, more) => {
        const settings = {
          ...defaultPoolSettings,
          approve: { ...each, excludePusher: false, when: 'always' as const },
        };
        const isOpen = (approvals: readonly Approval[]) => approval.ask(question(approvals, { settings })).open;
        const valid = each.by.filter((who) => {
          const said = each.approvals
            .filter((one) => one.who === who && one.config === config && Date.parse(one.at) <= now.getTime() + 300_000)
            .map((one) => ({ at: Date.parse(one.at), verb: one.verb }));
          const last = Math.max(...said.map(({ at }) => at));
          const isRevoked = said.some(({ at, verb }) => at === last && verb === 'revoke');
          return said.length > 0 && !isRevoked && last + each.expiresSeconds * 1000 > now.getTime();
        });
        expect(isOpen(each.approvals)).toBe(valid.length >= each.needed);
        const added = [...each.approvals, anApproval(more, { at: now.toISOString() })];
        if (isOpen(each.approvals) && !each.approvals.some(({ at }) => Date.parse(at) >= now.getTime()))
          expect(isOpen(added)).toBe(true);
      }),
    );
  });

  test('[N-17] is no higher when somebody leaves the list, when an approval is lost that is no revocation, and later', () => {
    fc.assert(
      fc.property(asked, fc.nat(), fc.integer({ min: 0, max: 86_400 }), (each, pick, seconds) => {
        const { given } = count(each);
        const by = each.by.filter((_, index) => index !== pick % each.by.length);
        expect(count({ ...each, by }).given.length).toBeLessThanOrEqual(given.length);
        const own = each.approvals.filter(({ verb }) => verb === 'approve');
        const lost = own[pick % Math.max(1, own.length)];
        const rest = each.approvals.filter((approval) => approval !== lost);
        if (own.length === each.approvals.length) {
          expect(count({ ...each, approvals: rest }).given.length).toBeLessThanOrEqual(count(each).given.length);
        }
        // Nothing that may still come from the future.
        const past = each.approvals.filter(({ at }) => Date.parse(at) <= now.getTime());
        const later = new Date(now.getTime() + seconds * 1000);
        expect(count({ ...each, approvals: past }, later).given.length).toBeLessThanOrEqual(
          count({ ...each, approvals: past }).given.length,
        );
      }),
    );
  });
});
