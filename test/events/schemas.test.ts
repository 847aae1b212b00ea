import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as events from '../../events/index.ts';
import { eventSchemas } from '../../events/schemas.ts';

const folder = fileURLToPath(new URL('../../docs/schemas/', import.meta.url));

describe('the published event schemas', () => {
  it('[C-4] every event has a schema in docs/schemas that says what the code says (else: npm run schemas)', async () => {
    const expected = Object.fromEntries(eventSchemas());

    const written = Object.fromEntries(
      await Promise.all(
        Object.keys(expected).map(async (name) => [name, await readFile(`${folder}${name}`, 'utf8')] as const),
      ),
    );

    expect(written).toEqual(expected);
  });

  it('[C-4] docs/schemas holds no schema of an event that is gone', async () => {
    const found = (await readdir(folder)).filter((name) => /\.v\d+\.schema\.json$/.test(name));

    expect(found.toSorted()).toEqual([...eventSchemas().keys()].toSorted());
  });

  it('[C-4] no event of the published language is left out', () => {
    const single = Object.values(events).filter((each) => each instanceof z.ZodObject);

    const types = single.map((event) => `${z.string().parse(event.shape['type']?.def.values?.[0])}.schema.json`);

    expect([...eventSchemas().keys()].toSorted()).toEqual(types.toSorted());
  });

  it('[C-4] an event with an extension attribute of somebody on the way is still accepted', () => {
    const schema = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(eventSchemas().get('poolkeeper.tick.v1.schema.json') ?? ''));

    expect(schema['additionalProperties']).toBeUndefined();
    expect(schema['required']).toEqual(['specversion', 'id', 'source', 'time', 'type', 'data']);
  });
});
