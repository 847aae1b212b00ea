import { expect, test } from 'vitest';
import { isRefreshDue, refreshAnnotation } from '../../../../functions/core/guard/refresh.ts';
import { anApplication, anOperation } from '../../../fakes/index.ts';

const opened = '2026-03-02T10:00:00Z';

/** How often Argo CD is asked in a quarter of an hour with a pass each second, if it compares at once and never
 *  syncs. */
function asks(): number {
  let count = 0;
  let reconciledAt = '2026-03-02T09:59:00Z';
  for (let second = 0; second < 900; second += 1) {
    const now = new Date(Date.parse(opened) + second * 1000);
    if (!isRefreshDue(anApplication({ reconciledAt }), opened, now)) continue;
    count += 1;
    reconciledAt = now.toISOString();
  }
  return count;
}

test('[N-6] [C-11] an Application that never syncs has Argo CD asked more and more seldom, however many passes there are', () => {
  expect(asks()).toBeLessThan(30);
  expect(asks()).toBeGreaterThan(10);
});

test('[N-6] Argo CD is not asked again before it has begun, and is asked until it has compared', () => {
  const now = new Date('2026-03-02T10:10:00Z');
  const before = '2026-03-02T09:00:00Z';

  expect(isRefreshDue(anApplication({ annotations: { [refreshAnnotation]: 'normal' } }), opened, now)).toBe(false);
  expect(isRefreshDue(anApplication({ reconciledAt: before }), opened, now)).toBe(true);
  expect(isRefreshDue(anApplication({ reconciledAt: undefined }), opened, now)).toBe(true);
});

test('[N-6] Argo CD is not asked to look at an Application that it would not sync by itself and that has no operation', () => {
  const now = new Date('2026-03-02T10:10:00Z');
  const manual = anApplication({ automated: false, operation: undefined, operationQueued: false });

  expect(isRefreshDue(manual, opened, now)).toBe(false);
  expect(isRefreshDue({ ...manual, operationQueued: true }, opened, now)).toBe(true);
  expect(isRefreshDue({ ...manual, operation: anOperation({ phase: 'Running' }) }, opened, now)).toBe(true);
});

test('[N-6] before its guard opens, an Application is compared every ten seconds at most', () => {
  const at = new Date('2026-03-02T10:00:10Z');

  expect(isRefreshDue(anApplication({ reconciledAt: '2026-03-02T10:00:00Z' }), undefined, at)).toBe(true);
  expect(isRefreshDue(anApplication({ reconciledAt: '2026-03-02T10:00:01Z' }), undefined, at)).toBe(false);
  expect(isRefreshDue(anApplication({ reconciledAt: undefined }), undefined, at)).toBe(true);
});
