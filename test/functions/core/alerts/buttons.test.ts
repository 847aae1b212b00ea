import { describe, expect, test } from 'vitest';
import { render } from '../../../../functions/core/alerts/message/render.ts';
import {
  approvalButtons,
  buttonsFor,
  readApprovalButton,
  readButton,
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

function blocksOf(incident: typeof firing, target: AlertTarget = slack, buttons = true): string {
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
  });
  expect(slackComplaint(message?.slack ?? {})).toBeUndefined();
  return JSON.stringify(message?.slack?.blocks);
}

describe('the buttons below a message', () => {
  test('acknowledge, snooze and re-check, and say which message they stand below', () => {
    const elements = buttonsFor({ number: 7, seq: 12 });

    expect(elements.map((each) => each.action_id)).toEqual(['acknowledge', 'snooze', 'recheck']);
    expect(readButton('acknowledge', '7.12')).toEqual({
      wish: 'acknowledge',
      number: 7,
      seenSeq: 12,
      forSeconds: undefined,
    });
    const menu = elements.find((each) => each.type === 'static_select');
    expect(menu?.options.map(({ text, value }) => [text.text, readButton('snooze', value)?.forSeconds])).toEqual([
      ['30 min', 1800],
      ['2 h', 7200],
      ['8 h', 28_800],
    ]);
  });

  test('[N-21] freeze a pool or a cluster for a time, where somebody may', () => {
    const menu = buttonsFor({ number: 7, seq: 12 }, true).at(-1);
    const options = menu?.type === 'static_select' ? menu.options : [];

    expect(options.map(({ value }) => readButton('freeze-here', value))).toEqual([
      { wish: 'freeze-here', number: 7, seenSeq: 12, scope: 'pool', forSeconds: 14_400 },
      { wish: 'freeze-here', number: 7, seenSeq: 12, scope: 'pool', forSeconds: 86_400 },
      { wish: 'freeze-here', number: 7, seenSeq: 12, scope: 'cluster', forSeconds: 14_400 },
      { wish: 'freeze-here', number: 7, seenSeq: 12, scope: 'cluster', forSeconds: 86_400 },
    ]);
    for (const value of ['7.12.fleet.14400', '7.12.pool.999999', '7.12.pool', '7.12', undefined])
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
    const names = { cluster: 'c'.repeat(63), pool: 'p'.repeat(253), config: 'r'.repeat(253) };

    expect(
      approvalButtons(999_999_999, names).map((each) => readApprovalButton(each.action_id, buttonValue(each))),
    ).toEqual((['approve', 'revoke'] as const).map((verb) => ({ verb, number: 999_999_999, ...names })));
    expect(readApprovalButton('acknowledge', `7.prod/worker/${config}`)).toBeUndefined();
    expect(readApprovalButton('approve', '7.12')).toBeUndefined();
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
