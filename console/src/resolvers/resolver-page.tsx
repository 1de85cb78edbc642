import { Anchor, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useParams } from 'wouter';
import { waitBriefly } from '../design/brief-wait.ts';
import { Facts } from '../design/card.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useTexts } from '../language/language.ts';
import { type ShownResolver, useResolvers } from '../realms/realm-queries.ts';
import { useSession } from '../session/session.tsx';
import { ManagedUsers } from './managed-users.tsx';
import {
  draftOf,
  type ResolverKind,
  settingsInForm,
  useResolverKinds,
  withoutPassword,
} from './resolver-draft.ts';
import { ResolverForm } from './resolver-form.tsx';
import { resolverTexts } from './resolver-texts.ts';
import { settingTexts } from './setting-texts.ts';

/** Shows one resolver: its settings, or the users of a managed one. */
export default function ResolverPage(): ReactNode {
  const t = useTexts(resolverTexts);
  const { kinds: kindNames } = useTexts(settingTexts);
  const { name } = useParams<{ name: string }>();
  const resolvers = useResolvers();
  const kinds = useResolverKinds();
  const resolver = resolvers.data?.find((one) => one.name === name);
  return (
    <Page title={name} lead={resolver && (kindNames[resolver.kind] ?? resolver.kind)}>
      <Anchor href="#/resolvers">{t.back}</Anchor>
      <Loaded query={resolvers}>
        {() =>
          // One that was just made may be on its way.
          resolver === undefined && !resolvers.isFetching ? <Text>{t.unknown(name)}</Text> : null
        }
      </Loaded>
      {resolver !== undefined && (
        <Loaded query={kinds}>
          {(all) => {
            const kind = all.find((one) => one.kind === resolver.kind);
            return kind === undefined || kind.settings.length === 0 ? (
              <ManagedUsers resolver={resolver.name} />
            ) : (
              <Settings kind={kind} resolver={resolver} />
            );
          }}
        </Loaded>
      )}
    </Page>
  );
}

interface SettingsProps {
  readonly kind: ResolverKind;
  readonly resolver: ShownResolver;
}

/** The form keeps what is typed when the resolver is read again; it compares with what was read when it was opened. */
function Settings({ kind, resolver }: SettingsProps): ReactNode {
  const { labels } = useTexts(settingTexts);
  const queries = useQueryClient();
  const mayChange = useSession().may('system', 'write');
  const [stored, setStored] = useState(resolver);
  const [draft, setDraft] = useState(() => draftOf(resolver));
  if (!mayChange) {
    const filled = settingsInForm(kind).filter(
      ({ name, is_secret: isSecret }) => !isSecret && resolver.settings[name] !== undefined,
    );
    return <Facts facts={filled.map(({ name }) => [labels[name] ?? name, resolver.settings[name]])} />;
  }
  return (
    <ResolverForm
      kind={kind}
      draft={draft}
      onDraft={setDraft}
      stored={stored}
      onSaved={() => {
        const sent = withoutPassword(draft, kind);
        setDraft(sent);
        // Also where that comes late: what was typed meanwhile stays.
        const read = queries.invalidateQueries({ queryKey: ['resolvers'] }).then(() => {
          const { data = [], isInvalidated } =
            queries.getQueryState<readonly ShownResolver[]>(['resolvers']) ?? {};
          const saved = data.find(({ name }) => name === resolver.name);
          if (saved !== undefined && isInvalidated === false) {
            setStored(saved);
            setDraft((present) => (present === sent ? draftOf(saved) : present));
          }
        });
        return waitBriefly(read);
      }}
    />
  );
}
