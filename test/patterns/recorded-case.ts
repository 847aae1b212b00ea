import { z } from 'zod';

const Json = z.json();
const Texts = z.record(z.string(), z.string().nullable()).nullable();

/** An object that the chart made, as the recording has it. */
const RecordedObject = z.looseObject({
  apiVersion: z.string().nullish(),
  kind: z.string().nullable(),
  namespace: z.string().nullish(),
  name: z.string().nullable(),
  labels: Texts.optional(),
  annotations: Texts.optional(),
  from: z.string(),
  wave: z.string().nullish(),
  argoWave: z.number().optional(),
});
export type RecordedObject = z.infer<typeof RecordedObject>;

const Result = z.object({
  ok: z.boolean(),
  objects: z.array(RecordedObject).default([]),
  error: z.string().nullish(),
});

export const RecordedCase = z.object({
  id: z.string(),
  kind: z.string(),
  parameters: z.record(z.string(), z.string()),
  files: z.array(z.object({ layer: z.string(), path: z.string(), data: Json })),
  result: Result,
  resultSkippingSchema: Result.nullish(),
});
export type RecordedCase = z.infer<typeof RecordedCase>;
