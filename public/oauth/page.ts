// The page where a user allows an assistant. It sends the password to this service only, and then goes back.

import { MESSAGES } from "../painel/messages.ts";
import { byId, failureMessage, showIfLoaded } from "../session.ts";

const field = (id: string) => byId(id) as HTMLInputElement;
const showMessage = (message: string) => {
  byId("message").textContent = message;
};

const approve = async () => {
  const [email, password] = [field("email"), field("password")];
  if (!email.value || !password.value) {
    showMessage(MESSAGES.missing);
    (email.value ? password : email).focus();
    return;
  }
  field("submit").disabled = true;
  showMessage("");
  try {
    const response = await fetch(`/oauth/approve${location.search}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        email: email.value,
        password: password.value,
        without_personal_data: field("without-personal-data").checked,
      }),
    });
    if (response.ok) {
      password.value = "";
      // Keep the button disabled while the tab navigates, so that the user does not request a second code.
      const { redirect_to }: { redirect_to: string } = await response.json();
      return location.assign(redirect_to);
    }
    showMessage(await failureMessage(response, MESSAGES));
  } catch {
    showMessage(MESSAGES.unreachable);
  }
  field("submit").disabled = false;
};

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  void approve();
});
showIfLoaded(() => {
  byId("sign-in").hidden = false;
  byId("email").focus();
});
