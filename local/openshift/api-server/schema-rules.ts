import type { FieldProblem } from './api-error.ts';
import { isJsonObject, type Json, type JsonObject, typeName, valueAt } from './json.ts';
import type { ResourceType } from './resource-types.ts';

type FieldType = 'boolean' | 'integer' | 'string' | 'object' | 'array' | 'integer,string' | 'strings';

/** The fields whose type is checked, by kind. `strings`: a map with string values. */
const fieldTypes: Readonly<Record<string, Readonly<Record<string, FieldType>>>> = {
  MachineConfigPool: {
    spec: 'object',
    'spec.paused': 'boolean',
    'spec.maxUnavailable': 'integer,string',
    'spec.configuration': 'object',
    'spec.configuration.name': 'string',
    'spec.configuration.source': 'array',
    'spec.nodeSelector': 'object',
    'spec.nodeSelector.matchLabels': 'strings',
    'spec.machineConfigSelector': 'object',
    'spec.machineConfigSelector.matchLabels': 'strings',
    'status.observedGeneration': 'integer',
    'status.machineCount': 'integer',
    'status.updatedMachineCount': 'integer',
    'status.readyMachineCount': 'integer',
    'status.unavailableMachineCount': 'integer',
    'status.degradedMachineCount': 'integer',
    'status.conditions': 'array',
  },
  MachineConfig: {
    spec: 'object',
    'spec.kernelArguments': 'array',
    'spec.fips': 'boolean',
    'spec.osImageURL': 'string',
  },
  KubeletConfig: { spec: 'object', 'spec.machineConfigPoolSelector': 'object' },
  ContainerRuntimeConfig: { spec: 'object', 'spec.machineConfigPoolSelector': 'object' },
  Application: { spec: 'object', operation: 'object', status: 'object' },
  Node: { 'spec.unschedulable': 'boolean', 'spec.taints': 'array' },
  PodDisruptionBudget: { 'spec.minAvailable': 'integer,string', 'spec.maxUnavailable': 'integer,string' },
};

/** Kinds whose schema requires a `spec`. */
const specRequired = new Set(['MachineConfigPool', 'KubeletConfig', 'ContainerRuntimeConfig', 'Application']);

/** After a type error, the server says that it did not check further. */
const unchecked: FieldProblem = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Validation of a custom resource's content, with the real server's messages. */
export function schemaProblems(type: ResourceType, object: JsonObject): FieldProblem[] {
  const problems = [...missingSpec(type, object), ...wrongTypes(type, object)];
  return problems.length > 0 ? [...problems, unchecked] : [];
}

function missingSpec(type: ResourceType, object: JsonObject): FieldProblem[] {
  if (!specRequired.has(type.kind) || (object['spec'] ?? null) !== null) return [];
  return [{ reason: 'FieldValueRequired', field: 'spec', message: 'Required value' }];
}

function wrongTypes(type: ResourceType, object: JsonObject): FieldProblem[] {
  return Object.entries(fieldTypes[type.kind] ?? {}).flatMap(([field, wanted]) => {
    const value = valueAt(object, field.split('.'));
    return value === undefined || value === null ? [] : typeProblems(field, wanted, value as Json);
  });
}

function typeProblems(field: string, wanted: FieldType, value: Json): FieldProblem[] {
  if (wanted === 'strings') {
    if (!isJsonObject(value)) return typeProblems(field, 'object', value);
    return Object.entries(value).flatMap(([key, part]) => typeProblems(`${field}.${key}`, 'string', part));
  }
  const found = typeName(value);
  if (wanted.split(',').includes(found)) return [];
  const wrong = (says: string): FieldProblem => ({
    reason: 'FieldValueTypeInvalid',
    field,
    message: `Invalid value: "${found}": ${inBody(field)} in body must be of type ${says}: "${found}"`,
  });
  if (wanted !== 'integer,string') return [wrong(wanted)];
  const neither: FieldProblem = {
    reason: 'FieldValueInvalid',
    field: '<nil>',
    message: `Invalid value: "": "${field}" must validate at least one schema (anyOf)`,
  };
  return [wrong(wanted), neither, wrong('integer')];
}

/** Status is validated separately, so its fields are named without `status.`. */
function inBody(field: string): string {
  return field.replace(/^status\./, '');
}
