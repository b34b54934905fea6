// Answers to numbers and choices: what is said was said by the exercise when the page was made
const judged_of = (form) => JSON.parse(new TextDecoder().decode(
  Uint8Array.from(atob(form.dataset.judged), (letter) => letter.charCodeAt(0))))
const is_near = (answer, to, tolerance) => Math.abs(answer - to) <= tolerance * Math.max(Math.abs(answer), Math.abs(to))

function judged_number(text, {key, tolerance, within, side, right, wrong, other}) {
  const answer = Number(text.trim().replace(",", ".").replace(/\s/g, "") || NaN)
  if (!Number.isFinite(answer)) return [null, "Write a number, as in 12.5, in the unit that stands behind."]
  const other_side = side && (answer - 1) * (key - 1) <= 0
  const is_predicted = answer > 0 && answer / key <= within && key / answer <= within && !other_side
  const is_right = within ? is_predicted : is_near(answer, key, tolerance)
  if (is_right) return [true, right]
  const idea = wrong.find(([value]) => is_near(answer, value, tolerance))
  return [false, idea ? idea[1] : other || `${text.trim()} is too ${answer > key ? "large" : "small"}.`]
}

for (const form of document.querySelectorAll("form.answer")) form.addEventListener("submit", (event) => {
  event.preventDefault()
  const judged = judged_of(form), field = form.querySelector("[type=text]")
  const chosen = [...form.querySelectorAll(":checked")].map((each) => each.value).join(" ")
  const [right, said] = field ? judged_number(field.value, judged) : judged.said[chosen]
  const place = form.querySelector(".judged")
  place.dataset.right = String(right)
  place.textContent = `${right === null ? "" : right ? "✓ " : "✗ "}${said}`
})
