import * as z from 'zod';
import type { KeptCalendar } from '../../../core/windows/kept-calendars.ts';

export const StoredKeptCalendar = z.looseObject({
  id: z.string(),
  triedAt: z.string(),
  copy: z
    .looseObject({
      text: z.string(),
      readAt: z.string(),
      etag: z.string().optional(),
      lastModified: z.string().optional(),
    })
    .optional(),
  failure: z.looseObject({ since: z.string(), why: z.string() }).optional(),
}) satisfies z.ZodType<KeptCalendar>;
