import * as z from 'zod';
import { isFilledIn, mapping } from '../../../core/configuration/fields.ts';
import { durationText } from '../duration.ts';
import { lengthOfTime } from './length-of-time.ts';
import { isLengthOfTime, writtenKey } from './written-key.ts';

/** Keys that only the file has, or that it has in another form than the section, by the key in the file. Nested for the
 *  keys of a mapping, and for those of each entry of a list or a record. */
export interface OwnForms {
  readonly [key: string]: z.ZodType | OwnForms;
}

export interface FormOptions {
  readonly own?: OwnForms;
  /** Whether the schema for editors names the defaults. Default true; false below a cluster, whose defaults are the
   *  common policy's. */
  readonly namesDefaults?: boolean;
  /** Numbers are seconds: a key above says so. Default false. */
  readonly inSeconds?: boolean;
}

/** The form in `poolkeeper.yaml` of a section of what is deployed: the same keys and checks, but lengths of time are
 *  text. Yields the section's keys and values without defaults, which the section fills in when it reads that. */
export function fileForm(section: z.core.$ZodType, options: FormOptions = {}): z.ZodType {
  return withDefault(section, describedAs(section, bareForm(section, options)), options);
}

/** The keys that a mapping has in the file, and their forms. */
export function fileShape(section: z.ZodObject, options: FormOptions = {}): Readonly<Record<string, z.ZodType>> {
  const derived = Object.fromEntries(
    Object.entries(section.shape)
      .filter(([, field]) => !isFilledIn(field))
      .map(([key, field]) => [writtenKey(key), fieldForm(key, field, options)]),
  );
  const added = Object.entries(options.own ?? {}).flatMap(([key, form]) =>
    form instanceof z.ZodType && !(key in derived) ? [[key, form] as const] : [],
  );
  return { ...derived, ...Object.fromEntries(added) };
}

/** What was read by `fileShape`, under the keys of the section. What only the file has is left out. */
export function sectionKeys(
  section: z.ZodObject,
  read: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(section.shape).flatMap((key) => {
      const value = read[writtenKey(key)];
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

function fieldForm(key: string, field: z.core.$ZodType, { own, inSeconds, ...options }: FormOptions): z.ZodType {
  const form = own?.[writtenKey(key)];
  if (form instanceof z.ZodType) return describedAs(field, form);
  return fileForm(field, { ...options, own: form ?? {}, inSeconds: inSeconds === true || isLengthOfTime(key) });
}

function bareForm(schema: z.core.$ZodType, options: FormOptions): z.ZodType {
  if (schema instanceof z.ZodObject) {
    return mapping(fileShape(schema, options)).transform((read) => sectionKeys(schema, read));
  }
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: fileForm(schema.element, options) });
  if (schema instanceof z.ZodRecord)
    return schema.clone({ ...schema.def, valueType: fileForm(schema.valueType, options) });
  if (schema instanceof z.ZodDiscriminatedUnion) {
    return schema.clone({ ...schema.def, options: schema.options.map((option) => fileForm(option, options)) });
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return fileForm(schema.unwrap(), options).optional();
  }
  if (schema instanceof z.ZodPipe) return fileForm(schema.in, options);
  if (schema instanceof z.ZodNumber && options.inSeconds === true) return lengthOfTime(schema);
  if (schema instanceof z.ZodType && leaves.has(schema.type)) return schema;
  throw new TypeError(`a section cannot hold ${schema._zod.def.type}: its form in the file is not known`);
}

/** What the file writes as it is deployed. */
const leaves: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'enum', 'literal', 'unknown']);

/** The form with the description of the section's schema, for editors, unless it has one of its own. */
function describedAs(schema: z.core.$ZodType, form: z.ZodType): z.ZodType {
  const { default: _, ...description } = z.globalRegistry.get(schema) ?? {};
  return form.meta({ ...description, ...form.meta() });
}

function withDefault(schema: z.core.$ZodType, form: z.ZodType, { namesDefaults, inSeconds }: FormOptions): z.ZodType {
  const standard = namesDefaults === false ? undefined : defaultOf(schema);
  return standard === undefined ? form : form.meta({ ...form.meta(), default: written(standard, inSeconds === true) });
}

function defaultOf(schema: z.core.$ZodType): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return schema.def.defaultValue;
  return z.globalRegistry.get(schema)?.['default'];
}

/** A default as the file would have it. */
function written(value: unknown, inSeconds: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => written(each, inSeconds));
  return typeof value === 'number' && inSeconds ? durationText(value) : value;
}
