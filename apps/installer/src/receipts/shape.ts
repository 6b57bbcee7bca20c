/**
 * Whether a file of the installer's own has the shape that the rest relies on. One that was edited or damaged and still
 * parses would fail anywhere: it is treated as one that was cut off. Types that are only read in one place are not followed.
 */
import { isObject } from '@openviking/memory-core/full';

/** True for a value of that shape. */
export type Shape = (value: unknown) => boolean;

export const text: Shape = (value) => typeof value === 'string';
export const number: Shape = (value) => typeof value === 'number';
export const flag: Shape = (value) => typeof value === 'boolean';

export function listOf(shape: Shape): Shape {
  return (value) => Array.isArray(value) && value.every(shape);
}

export function mapOf(shape: Shape): Shape {
  return (value) => isMap(value) && Object.values(value).every(shape);
}

export function optional(shape: Shape): Shape {
  return (value) => value === undefined || shape(value);
}

export function either(...shapes: readonly Shape[]): Shape {
  return (value) => shapes.some((shape) => shape(value));
}

export function exactly(wanted: string | number): Shape {
  return (value) => value === wanted;
}

/** An object with at least these members; others may be there. */
export function record(members: Readonly<Record<string, Shape>>): Shape {
  return (value) => isMap(value) && Object.entries(members).every(([name, shape]) => shape(value[name]));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value as never);
}
