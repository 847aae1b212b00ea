import { type Finding, refText, type Trouble } from '../findings/trouble.ts';
import type { Incident } from './incident.ts';

/** The trouble with each Application under the AppProject by which the open incident has it already. Whoever may write
 *  an Application may name another one at every look: that is no cause of somebody else. */
export function withKeptProjects(trouble: Trouble, before: Incident | undefined): Trouble {
  if (before?.trouble === undefined || before.state === 'ok') return trouble;
  const projects = new Map(before.trouble.findings.flatMap(projectsIn));
  if (projects.size === 0) return trouble;
  return { ...trouble, findings: trouble.findings.map((found) => inProject(found, projects)) };
}

function projectsIn({ subject, because }: Finding): readonly (readonly [string, string])[] {
  const own = subject.project === undefined ? [] : [[refText(subject), subject.project] as const];
  return [...own, ...because.flatMap(projectsIn)];
}

function inProject(found: Finding, projects: ReadonlyMap<string, string>): Finding {
  const { subject } = found;
  const project = projects.get(refText(subject)) ?? subject.project;
  return {
    ...found,
    subject: project === subject.project ? subject : { ...subject, project },
    because: found.because.map((each) => inProject(each, projects)),
  };
}
