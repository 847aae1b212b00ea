import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, each begun before everything else of its project: some of them wait for most of their time, and
 *  would be waited for at the end. Vitest itself begins with the largest files where it has not yet measured any. */
const longest = [
  'security/canary-secrets',
  'local/demo/programs',
  'functions/keep-pools/canary-runs',
  'functions/keep-pools/node-turns',
  'functions/core/node-turns/run-courses',
  'local/demo/scenarios',
  'architecture/regex',
  'functions/core/sequences/record-room',
  'local/cli/built',
  'functions/core/routing/superset',
  'local/main',
  'functions/bundle-size',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) => {
      const ofProject = sorted.filter(({ project }) => project.name === name);
      const first = longest.flatMap((path) => ofProject.filter(({ moduleId }) => moduleId.endsWith(path)));
      return [...first, ...ofProject.filter((each) => !first.includes(each))];
    });
  }
}
