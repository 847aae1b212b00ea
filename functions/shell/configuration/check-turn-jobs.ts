import { TurnJobs } from '../../core/configuration/turn-jobs.ts';
import { placeOfPart } from '../../core/configuration/turn-parts.ts';
import { jobSpecProblems } from '../../core/node-turns/job-spec-problems.ts';
import { textAt } from '../../core/openshift/member.ts';
import { isMapping, type Path, type Problem, valueAt } from './problem.ts';

/** What is refused of the Jobs of rules, with its place. Looks at the data as written. */
export function checkTurnJobs(data: unknown): readonly Problem[] {
  const rules = valueAt(data, ['nodeTurns', 'rules']);
  const jobs = TurnJobs.safeParse(valueAt(data, ['nodeTurns', 'jobs']) ?? {});
  // What is wrong with `jobs` itself, its schema says.
  if (!isMapping(rules) || !jobs.success) return [];
  return Object.entries(rules).flatMap(([key, rule]) =>
    specsOf(rule).flatMap(([name, spec]) =>
      jobSpecProblems(spec, namespaceOf(key, rule), jobs.data).map(({ field, what }) => ({
        path: ['nodeTurns', 'rules', key, name, ...pathOf(field)],
        what,
        hint: undefined,
        at: 'value' as const,
      })),
    ),
  );
}

function specsOf(rule: unknown): readonly (readonly [string, Readonly<Record<string, unknown>>])[] {
  return ['jobSpec', 'cleanUpJobSpec'].flatMap((name) => {
    const spec = valueAt(rule, [name]);
    return isMapping(spec) ? [[name, spec] as const] : [];
  });
}

/** Of a rule that names none, the namespace of the run is not known here. */
function namespaceOf(key: string, rule: unknown): string {
  return textAt(rule, 'jobNamespace') ?? placeOfPart(key, textAt(rule, 'namespace'), 'poolkeeper').namespace;
}

/** `template.spec.containers[0].image` as keys and indexes. */
function pathOf(field: string): Path {
  return field
    .split(/[.[\]]/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
