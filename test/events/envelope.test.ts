import { CloudEvent } from 'cloudevents';
import { describe, expect, it } from 'vitest';
import { cloudEvent, Tick } from '../../events/index.ts';

const parts = {
  type: 'poolkeeper.tick.v1',
  id: 'prod/1',
  source: '/poolkeeper/clock',
  subject: 'prod',
  time: new Date('2026-03-02T10:00:00Z'),
  correlation: 'prod/1',
  data: { cluster: 'prod', why: 'clock' },
} as const;

describe('an event of ours', () => {
  it('[C-4] is a CloudEvent to the SDK and to its own schema', () => {
    const event = cloudEvent(parts);

    expect(new CloudEvent({ ...event }).validate()).toBe(true);
    expect(Tick.parse(event)).toEqual(event);
  });

  it.each([
    ['id', { id: '' }],
    ['source', { source: '' }],
    ['subject', { subject: '' }],
  ])('[C-4] is never made with an empty %s', (_attribute, change) => {
    expect(() => cloudEvent({ ...parts, ...change })).toThrow(TypeError);
  });
});
