import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import { Initials } from "./initials.tsx";
import { Link } from "./links.tsx";

/** Back to where the person is one of many. */
export const BackTo = ({ to, label }: { to: string; label: string }) => (
  <p class="back">
    <Link to={to} scroll="back">
      <Icon name="voltar" />
      {label}
    </Link>
  </p>
);

interface ProfileProps {
  name: string;
  detail: string;
  children: ComponentChildren;
}

/** The first card of a person's page: who they are. */
export const ProfileCard = ({ name, detail, children }: ProfileProps) => (
  <section class="card" aria-labelledby="profile-name">
    <div class="profile-head">
      <Initials name={name} />
      <div>
        <h2 id="profile-name">{name}</h2>
        {detail && <p class="more">{detail}</p>}
      </div>
    </div>
    {children}
  </section>
);
