import { describe, expect, test } from 'vitest';
import type { Application } from '../../../../functions/core/argocd/application.ts';
import { managedBy } from '../../../../functions/core/impact/managed-by.ts';
import { anApplication, anOperation } from '../../../fakes/index.ts';

const [revision = ''] = anOperation().revisions;
const resources = anApplication().resources.map((each) => ({ ...each, status: 'OutOfSync' }));
const outOfSync = { resources, sync: { status: 'OutOfSync', revisions: [revision] } } as const;

function differs(change: Partial<Application>): boolean | undefined {
  return managedBy(anApplication({ ...outOfSync, ...change })).resources[0]?.differs;
}

describe('what an Application manages does not differ from the commit', () => {
  test.each([
    ['while the sync that wrote it runs', { phase: 'Running', finishedAt: undefined }, '2026-03-02T10:00:04Z'],
    ['before it was compared again', {}, '2026-03-02T10:00:04Z'],
    ['in the second in which that sync ended', {}, '2026-03-02T10:00:08Z'],
    ['where it is not known when it was compared', {}, undefined],
  ] as const)('[S3-14] [N-20] %s', (_, change, reconciledAt) => {
    expect(differs({ operation: anOperation(change), reconciledAt })).toBe(false);
  });
});

describe('what an Application manages differs from the commit', () => {
  const failed = anOperation().results.map((each) => ({ ...each, status: 'SyncFailed' }));
  test.each([
    ['when it was compared after the sync', {}, '2026-03-02T10:00:09Z'],
    ['of which no sync ran', { revisions: ['cccccccccccccccccccccccccccccccccccccccc'] }, undefined],
    ['of which a dry run succeeded', { dryRun: true }, undefined],
    ['which its sync could not write', { results: failed }, undefined],
    ['which its sync did not reach', { results: [] }, undefined],
  ] as const)('[S3-14] [N-20] %s', (_, change, reconciledAt) => {
    expect(differs({ operation: anOperation(change), reconciledAt })).toBe(true);
  });
});
