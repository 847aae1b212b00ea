import type { Listed } from '../../../functions/core/findings/listed.ts';
import type { AppProject } from '../../../functions/core/guard/app-project.ts';
import { applicationOfGuard } from '../../../functions/core/guard/guard-record.ts';
import { openByHand } from '../../../functions/core/guard/open-by-hand.ts';
import { isOurs, namesHeldBack } from '../../../functions/core/guard/sync-windows.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** The guards of one Argo CD instance, and how each is opened without Poolkeeper. */
export function checkGuards(about: string, { items, unreadable }: Listed<AppProject>): readonly Finding[] {
  const found = items.flatMap((project) => ofProject(about, project));
  return [
    ...unreadable.map(({ name, why }) => wrong(about, `guards: AppProject ${name}: ${why}`, 'correct it')),
    ...(found.length === 0 ? [ok(about, 'guards: no Application is guarded yet')] : found),
  ];
}

function ofProject(about: string, project: AppProject): readonly Finding[] {
  const { name, record, windows } = project;
  if (record.kind === 'unreadable')
    return [wrong(about, `guards: AppProject ${name} is left alone: ${record.why}`, 'remove the annotation')];
  const held = namesHeldBack(windows);
  const guards = record.guards.map((guard): Finding => {
    const { name: application } = applicationOfGuard(guard);
    if (guard.open !== undefined) return ok(about, `guards: ${guard.application} is open: ${guard.open.why}`);
    return held.has(application)
      ? ok(
          about,
          `guards: ${guard.application} is closed; without Poolkeeper: ${openByHand(project, application) ?? ''}`,
        )
      : warning(
          about,
          `guards: ${guard.application} is to be closed, and its window is missing in AppProject ${name}`,
          'Poolkeeper puts it back within a minute; if it does not, see docs/guard.md',
        );
  });
  const others = windows.some((window) => !isOurs(window));
  if (project.isTracked !== true || !others || guards.length === 0) return guards;
  return [
    ...guards,
    warning(
      about,
      `guards: AppProject ${name} is applied from Git with sync windows of its own, so a sync of it takes ours away`,
      'ignore differences in /spec/syncWindows (docs/guard.md)',
    ),
  ];
}
