import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '../design/page.tsx';
import { type Texts, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';

const texts: Texts<{ title: string; lead: string; right: string; realms: string; everywhere: string }> = {
  en: {
    title: 'Your rights',
    lead: 'What you may do here.',
    right: 'Right',
    realms: 'Realms',
    everywhere: 'everywhere',
  },
  de: {
    title: 'Ihre Rechte',
    lead: 'Was Sie hier tun dürfen.',
    right: 'Recht',
    realms: 'Realms',
    everywhere: 'überall',
  },
};

/** Shows the rights of the caller. */
export default function HomePage(): ReactNode {
  const t = useTexts(texts);
  const { rights } = useSession();
  return (
    <Page title={t.title} lead={t.lead}>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.right}</Table.Th>
              <Table.Th>{t.realms}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rights.map(({ scope, action, realms }) => (
              <Table.Tr key={`${scope}:${action}`}>
                <Table.Td>{`${scope}:${action}`}</Table.Td>
                <Table.Td>{realms === '*' ? t.everywhere : realms.join(', ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Page>
  );
}
