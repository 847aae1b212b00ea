import { describe, expect, test } from 'vitest';
import { render } from '../../../../functions/core/alerts/message/render.ts';
import {
  approvalButtons,
  buttonsFor,
  episodeOf,
  type OfferedSequence,
  readApprovalButton,
  readButton,
  readSteerChoice,
  steerMenu,
} from '../../../../functions/core/alerts/slack-buttons.ts';
import type { AlertTarget } from '../../../../functions/core/configuration/alerts.ts';
import { slackComplaint } from '../../../fakes/slack-limits.ts';
import { firing, sampleNow } from './samples.ts';

const filter = { clusters: [], pools: [], severities: [], causes: [] };
const slack: AlertTarget = {
  kind: 'slack',
  name: 's',
  channel: 'C1',
  tokenSecret: 't',
  apiUrl: 'https://x.example',
  filter,
};

function blocksOf(incident: typeof firing, target: AlertTarget = slack, buttons = true, maySteer = false): string {
  const message = render({
    incident,
    target,
    part: 'post',
    occasion: 'opened',
    notes: [],
    form: 'full',
    deliveryId: 'd1',
    now: sampleNow,
    statusUrl: 'https://poolkeeper.example.com/status',
    product: 'poolkeeper test',
    continued: false,
    mayRepeat: false,
    buttons,
    maySteer,
  });
  expect(slackComplaint(message?.slack ?? {})).toBeUndefined();
  return JSON.stringify(message?.slack?.blocks);
}

describe('the buttons below a message', () => {
  test('acknowledge, snooze and re-check, and say which message they stand below', () => {
    const elements = buttonsFor({ number: 7, seq: 12, episode: '0a1b2c3d' });

    expect(elements.map((each) => each.action_id)).toEqual(['acknowledge', 'snooze', 'recheck']);
    expect(readButton('acknowledge', '7.12.0a1b2c3d')).toEqual({
      wish: 'acknowledge',
      number: 7,
      seenSeq: 12,
      episode: '0a1b2c3d',
      forSeconds: undefined,
    });
    const menu = elements.find((each) => each.type === 'static_select');
    expect(menu?.options.map(({ text, value }) => [text.text, readButton('snooze', value)?.forSeconds])).toEqual([
      ['30 min', 1800],
      ['2 h', 7200],
      ['8 h', 28_800],
    ]);
  });

  test('[C-13] [N-29] say of which incident they are, whatever other one has its number', () => {
    const shown = [
      firing,
      { ...firing, openedAt: '2026-03-01T14:01:40.000Z' },
      { ...firing, key: { ...firing.key, cluster: 'c2' } },
    ]
      .map((incident) => /"action_id":"acknowledge","value":"([^"]+)"/.exec(blocksOf(incident))?.[1])
      .map((value) => readButton('acknowledge', value));

    expect(shown.map((each) => [each?.number, each?.seenSeq])).toEqual(shown.map(() => [firing.number, firing.seq]));
    expect(shown[0]?.episode).toBe(episodeOf(firing));
    expect(new Set(shown.map((each) => each?.episode)).size).toBe(3);
  });

  test('[N-29] those of messages of an earlier version do not say of which incident they are', () => {
    expect([readButton('acknowledge', '7.12'), readButton('snooze', '7.12.1800')]).toMatchObject([
      { number: 7, seenSeq: 12, episode: undefined },
      { number: 7, episode: undefined, forSeconds: 1800 },
    ]);
    expect(readButton('freeze-here', '7.12.pool.14400')).toMatchObject({ number: 7, episode: undefined });
  });

  test('[N-21] freeze a pool or a cluster for a time, where somebody may', () => {
    const menu = buttonsFor({ number: 7, seq: 12, episode: '0a1b2c3d' }, true).at(-1);
    const options = menu?.type === 'static_select' ? menu.options : [];

    expect(options.map(({ value }) => readButton('freeze-here', value))).toEqual([
      { wish: 'freeze-here', number: 7, seenSeq: 12, episode: '0a1b2c3d', scope: 'pool', forSeconds: 14_400 },
      { wish: 'freeze-here', number: 7, seenSeq: 12, episode: '0a1b2c3d', scope: 'pool', forSeconds: 86_400 },
      { wish: 'freeze-here', number: 7, seenSeq: 12, episode: '0a1b2c3d', scope: 'cluster', forSeconds: 14_400 },
      { wish: 'freeze-here', number: 7, seenSeq: 12, episode: '0a1b2c3d', scope: 'cluster', forSeconds: 86_400 },
    ]);
    for (const value of [
      '7.12.fleet.14400',
      '7.12.pool.999999',
      '7.12.0a1b2c3d.pool',
      '7.12',
      '7.12.0a1b.pool.14400',
      undefined,
    ])
      expect(readButton('freeze-here', value)).toBeUndefined();
    expect(blocksOf(firing)).not.toContain('freeze-here');
  });

  test('stand below what is wrong, where somebody takes them, and not below what is over', () => {
    const over = { ...firing, state: 'ok' as const, resolvedAt: sampleNow.toISOString() };

    expect(blocksOf(firing)).toContain('"action_id":"acknowledge"');
    expect(blocksOf(firing, slack, false)).not.toContain('acknowledge');
    expect(blocksOf(firing, { kind: 'slack-webhook', name: 'h', urlSecret: 'u', filter })).not.toContain('acknowledge');
    expect(blocksOf(over)).not.toContain('acknowledge');
  });
});

describe('[N-17] the buttons of a change that waits for approval', () => {
  const config = `rendered-worker-${'0123456789abcdef'.repeat(2)}`;
  const asking = {
    ...firing,
    ...(firing.trouble === undefined ? {} : { trouble: { ...firing.trouble, asksApproval: config } }),
  };

  test('say what they approve, whatever is rendered later', () => {
    const names = {
      cluster: 'c'.repeat(63),
      pool: 'p'.repeat(253),
      config: `${'r'.repeat(253)}@sha256:${'0b'.repeat(32)}`,
    };

    expect(
      approvalButtons(999_999_999, names).map((each) => readApprovalButton(each.action_id, buttonValue(each))),
    ).toEqual((['approve', 'revoke'] as const).map((verb) => ({ verb, number: 999_999_999, ...names })));
    expect(readApprovalButton('acknowledge', `7.prod/worker/${config}`)).toBeUndefined();
    expect(readApprovalButton('approve', '7.12')).toBeUndefined();
    expect(readApprovalButton('approve', `7.prod/worker/${config}@sha256:0b1c`)).toBeUndefined();
    expect(readApprovalButton('approve', `7.prod/worker/${config}`)).toMatchObject({ config });
    for (const button of approvalButtons(999_999_999, names)) expect(buttonValue(button)?.length).toBeLessThan(700);
  });

  test('stand before the others, where buttons are taken, while it is asked', () => {
    const over = { ...asking, state: 'ok' as const, resolvedAt: sampleNow.toISOString() };

    expect(blocksOf(asking)).toMatch(/"action_id":"approve".*"action_id":"revoke".*"action_id":"acknowledge"/);
    expect(blocksOf(asking)).toContain(`/${config}"`);
    for (const text of [blocksOf(firing), blocksOf(asking, slack, false), blocksOf(over)]) {
      expect(text).not.toContain('"action_id":"approve"');
    }
  });
});

function buttonValue(element: ReturnType<typeof approvalButtons>[number]): string | undefined {
  return element.type === 'button' ? element.value : undefined;
}

describe('the menu to steer a sequence', () => {
  const steered = [{ sequence: 'virt', item: 'storage@prod/waitFor' }, { sequence: 'virt' }];
  const of7 = { number: 7, cluster: 'prod', episode: '0a1b2c3d' };

  test('[S2-10] has each sequence once and each step with the reasons to skip it, and Slack asks once more', () => {
    const [menu] = steerMenu(of7, steered);

    expect(menu?.options.map(({ text }) => text.text)).toEqual([
      'Pause virt',
      'Go on with virt',
      'Abort virt',
      'Not needed, skip virt/storage@prod/waitFor',
      'Done by hand, skip virt/storage@prod/waitFor',
    ]);
    expect(menu?.options.map(({ value }) => readSteerChoice(menu.action_id, value))).toMatchObject([
      { act: 'pause', sequence: 'virt', item: undefined, number: 7, shown: { cluster: 'prod', episode: '0a1b2c3d' } },
      { act: 'go-on' },
      { act: 'abort' },
      { act: 'skip', item: 'storage@prod/waitFor', reason: 'not needed here' },
      { act: 'skip', item: 'storage@prod/waitFor', reason: 'done by hand' },
    ]);
    expect(menu?.confirm).toBeDefined();
  });

  test('[S2-10] [N-29] names who has paused a sequence where Slack asks once more, within the room that Slack has', () => {
    const confirmed = (paused: readonly OfferedSequence[]) => steerMenu(of7, paused)[0]?.confirm?.text.text;
    const long = Array.from({ length: 9 }, (_, index) => ({
      sequence: `${index}${'s'.repeat(62)}`,
      pausedBy: 'p'.repeat(200),
    }));

    expect(confirmed(steered)).toBe(
      'It counts with the next look at the sequence, within a minute or two, under your name.',
    );
    expect(confirmed([{ sequence: 'virt', item: 'cnv@prod', pausedBy: 'anna' }, ...steered])).toBe(
      'Paused: virt (by anna). To go on ends that, too: ask first. It counts with the next look at the sequence, within a minute or two, under your name.',
    );
    for (const some of [long, long.slice(0, 2)]) {
      expect(confirmed(some)?.length).toBeLessThanOrEqual(300);
      expect(confirmed(some)).toContain('To go on ends that, too: ask first.');
    }
  });

  test('[S2-10] leaves out what Slack has no room for, and is no menu without anything', () => {
    const long = { sequence: 'virt', item: `${'x'.repeat(80)}@prod` };

    expect(steerMenu(of7, [long])[0]?.options).toHaveLength(3);
    expect(steerMenu(of7, [])).toEqual([]);
    const names = Array.from({ length: 60 }, (_, index) => ({ sequence: `s${index}` }));
    expect(steerMenu(of7, names)[0]?.options).toHaveLength(40);
  });

  test('[C-6] nothing else is a choice of it', () => {
    for (const value of ['7.pause.virt/x', '7.unneeded.virt', '7.delete.virt', 'x.pause.virt', '7.pause.VIRT', ''])
      expect(readSteerChoice('steer-sequence', value)).toBeUndefined();
    for (const id of [
      'freeze-here',
      'steer-sequence.x.prod',
      'steer-sequence.0a1b2c3d',
      'steer-sequence.0a1b2c3d.PROD',
    ])
      expect(readSteerChoice(id, '7.pause.virt')).toBeUndefined();
  });

  test('[S2-10] of an earlier version is read, without what it does not say', () => {
    expect(readSteerChoice('steer-sequence', '7.pause.virt')).toMatchObject({ number: 7, shown: undefined });
  });

  test('[S2-10] stands below a message about a sequence while it fires, where somebody may, and below no other', () => {
    const subject = { kind: 'Sequence', namespace: '', name: 'virt/storage@prod/waitFor' };
    const trouble = firing.trouble && {
      ...firing.trouble,
      findings: firing.trouble.findings.map((each) => ({ ...each, subject })),
    };
    const ofSequence = { ...firing, key: { ...firing.key, pool: '*', kind: 'sequence-stuck' as const }, trouble };

    expect(blocksOf(ofSequence, slack, true, true)).toContain('Abort virt');
    const menu = `"steer-sequence.${episodeOf(ofSequence)}.${ofSequence.key.cluster}"`;
    expect(blocksOf(ofSequence, slack, true, true)).toContain(menu);
    expect(blocksOf(ofSequence, slack, true, true)).not.toContain('Paused:');
    const paused = { ...ofSequence, trouble: trouble && { ...trouble, paused: [{ sequence: 'virt', who: 'anna' }] } };
    expect(blocksOf(paused, slack, true, true)).toContain('Paused: virt (by anna).');
    expect(blocksOf(ofSequence, slack, true, false)).not.toContain('steer-sequence');
    expect(blocksOf(ofSequence, slack, false, true)).not.toContain('steer-sequence');
    expect(blocksOf(firing, slack, true, true)).not.toContain('steer-sequence');
  });
});
