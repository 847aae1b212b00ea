import { describe, expect, test } from 'vitest';
import type { AppProject } from '../../../functions/core/guard/app-project.ts';
import type { Guard } from '../../../functions/core/guard/guard-record.ts';
import { windowsAfter } from '../../../functions/core/guard/sync-windows.ts';
import { checkGuards } from '../../../local/cli/doctor/check-guards.ts';
import type { Finding } from '../../../local/cli/doctor/finding.ts';
import { anAppProject } from '../../fakes/index.ts';

const guard: Guard = { application: 'openshift-gitops/nodes', cluster: 'prod', pools: ['worker'] };
const open: Guard = { ...guard, open: { since: '2026-03-02T10:00:00Z', why: 'a push of 1234' } };
const foreign = { kind: 'allow', schedule: '0 22 * * 2', duration: '4h', applications: ['*'] };
const closedWindows = windowsAfter([foreign], { closed: new Set(['nodes']), open: new Set() });

function check(...projects: readonly Partial<AppProject>[]): readonly Finding[] {
  return checkGuards('prod', { items: projects.map((each) => anAppProject(each)), unreadable: [] });
}

const withGuards = (...guards: readonly Guard[]) => ({ record: { kind: 'guards' as const, guards } });

describe('the doctor on guards', () => {
  test('[N-6] [S3-15] prints the command that opens one that is closed, for the place where its window is', () => {
    const [finding, ...others] = check({ ...withGuards(guard), windows: closedWindows });

    expect(others).toEqual([]);
    expect(finding).toMatchObject({ state: 'ok', what: expect.stringContaining('nodes is closed') });
    expect(finding?.what).toContain('patch appprojects.argoproj.io default --type json');
    expect(finding?.what).toContain('"path":"/spec/syncWindows/1"');
  });

  test.each<[Finding['state'], string, Partial<AppProject>]>([
    ['ok', 'no Application is guarded yet', {}],
    ['ok', 'nodes is open: a push of 1234', withGuards(open)],
    ['warning', 'its window is missing in AppProject default', withGuards(guard)],
    [
      'warning',
      'its window is missing',
      { ...withGuards(guard), windows: closedWindows.map((window) => ({ ...window, manualSync: true })) },
    ],
    [
      'wrong',
      'AppProject default is left alone: v: expected 1',
      { record: { kind: 'unreadable', why: 'v: expected 1' } },
    ],
    [
      'warning',
      'applied from Git with sync windows of its own',
      { ...withGuards(guard), windows: closedWindows, isTracked: true },
    ],
  ])('[N-6] [S3-15] %s: %s', (state, words, project) => {
    const findings = check(project);

    expect(findings).toContainEqual(expect.objectContaining({ state, what: expect.stringContaining(words) }));
    for (const finding of findings) if (finding.state !== 'ok') expect(finding.remedy).toBeTruthy();
  });

  test('[N-6] [S3-15] names a project that cannot be parsed', () => {
    const unreadable = [
      { kind: 'AppProject', namespace: 'openshift-gitops', name: 'odd', why: 'spec: expected object' },
    ];

    expect(checkGuards('prod', { items: [], unreadable })).toContainEqual(
      expect.objectContaining({ state: 'wrong', what: expect.stringContaining('AppProject odd') }),
    );
  });
});
