import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Two texts and the answer. */
const Answers = z.object({ origin: z.string(), answers: z.array(z.tuple([z.string(), z.string(), z.string()])) });

const Source = z.object({
  repoURL: z.string(),
  path: z.string(),
  targetRevision: z.string(),
  chart: z.string(),
  ref: z.string().optional(),
  hydration: z.enum(['dry', 'hydrated']).optional(),
});

/** What the real programs said; each part names its origin. */
const RecordedAnswers = z.object({
  constraints: Answers,
  globs: Answers,
  urls: Answers,
  handler: z.object({
    origin: z.string(),
    applications: z.array(
      z.object({ name: z.string(), sources: z.array(Source), generatePaths: z.string().optional() }),
    ),
    pushes: z.array(
      z.object({
        htmlUrl: z.string(),
        defaultBranch: z.string(),
        ref: z.string(),
        files: z.array(z.string()),
        refreshed: z.array(z.string()),
      }),
    ),
  }),
});

export function readRecordedAnswers(): z.infer<typeof RecordedAnswers> {
  const text = readFileSync(join(import.meta.dirname, 'recorded-answers.json'), 'utf8');
  return RecordedAnswers.parse(JSON.parse(text));
}
