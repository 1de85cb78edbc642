import { EqualityFilter, type Filter, NotFilter, OrFilter, PresenceFilter, SubstringFilter } from 'ldapts';
import type { UserCondition, UserField, UserPattern } from '../../user-source.ts';
import type { LdapSettings } from './ldap-configuration.ts';

/** The conditions of a search as the directory and this program check them. */
interface SearchFilters {
  readonly filters: readonly Filter[];
  /** Those that no filter expresses, as on a DN. */
  readonly others: readonly UserCondition[];
}

/** The directory need not send all users to find that none has a value that is kept nowhere. */
const NOBODY = new NotFilter({ filter: new PresenceFilter({ attribute: 'objectClass' }) });

type Names = Pick<LdapSettings, 'attributes' | 'userId'>;

/** Values are parts of filter objects, never of a filter's text, so that nothing in them needs an escape. */
export function searchFilters(settings: Names, conditions: readonly UserCondition[]): SearchFilters {
  const filters: Filter[] = [];
  const others: UserCondition[] = [];
  for (const condition of conditions) {
    const attributes = condition.fields.map((field) => attributesOf(settings, field, condition.pattern));
    const alternatives = attributes.flat().flatMap((name) => (name === undefined ? [] : [name]));
    const isBlank = condition.pattern.every((piece) => piece === '');
    if (attributes.includes(undefined) || (alternatives.length === 0 && isBlank)) {
      others.push(condition);
    } else if (alternatives.length === 0) {
      filters.push(NOBODY);
    } else {
      filters.push(new OrFilter({ filters: alternatives.map((name) => filterOf(name, condition.pattern)) }));
    }
  }
  return { filters, others };
}

/** @returns the configured attributes of a field; undefined if it is none that can be compared */
function attributesOf(
  { attributes, userId }: Names,
  field: UserField,
  pattern: UserPattern,
): readonly (string | undefined)[] | undefined {
  switch (field) {
    case 'userId':
      // Directories compare a part of a text, but not of an id such as entryUUID.
      return userId.kind === 'attribute' && pattern.length === 1 ? [userId.name] : undefined;
    case 'phone':
      return [attributes.phone, attributes.mobile];
    default:
      return [attributes[field]];
  }
}

function filterOf(attribute: string, [initial, ...others]: UserPattern): Filter {
  const final = others.pop();
  if (final === undefined) {
    return new EqualityFilter({ attribute, value: initial });
  }
  // An empty piece is not allowed (RFC 4511 §4.5.1.7.2), and says nothing.
  return new SubstringFilter({ attribute, initial, any: others.filter((piece) => piece !== ''), final });
}
