import { useParams } from 'wouter';
import { readPart } from '../shell/page-address.ts';

/** @returns the names in the address of the open page, empty where it has none */
export function useNames<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, string>> {
  const params: Readonly<Record<string, string | undefined>> = useParams();
  return Object.fromEntries(names.map((name) => [name, readPart(params[name] ?? '')])) as Record<
    Name,
    string
  >;
}
