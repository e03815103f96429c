#include "plumb/text/mail.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plumb/base/utf8.h"

namespace plumb::mail_test {
namespace {

std::string strip(std::string_view message) { return mail_text(message, Mail::strip); }

TEST(MailText, IsTheSubjectAndTheBodyOrAllHeaders) {
  const std::string message = "From a@b Mon Jan 1\nReceived: by x;\r\n\tby y\nSubject: Dear\n friend\n\nHello: you\n";
  EXPECT_EQ(strip(message), "Dear friend\n\nHello: you\n");
  EXPECT_EQ(mail_text(message, Mail::keep), "Received: by x; by y\nSubject: Dear friend\n\nHello: you\n");
  EXPECT_EQ(mail_text(message, Mail::none), message);
}

TEST(MailText, ATextWithoutHeadersStays) {
  for (const char* text : {"", "Dear friend,\nbuy: now", "no colon\n\nbody", ": x\n\nbody"})
    EXPECT_EQ(strip(text), text);
}

TEST(MailText, EncodedBodiesAndHeadersAreDecoded) {
  EXPECT_EQ(strip("Subject: =?utf-8?Q?caf=C3=A9_au?= =?ISO-8859-1?B?IGxhaXTp?= x\n\n"),
            "caf\u00E9 au lait\u00E9 x\n\n");
  EXPECT_EQ(strip("Content-Transfer-Encoding: quoted-printable\n\nsoft =\r\nend =3D =E9=zz="),
            "\nsoft end = \u00E9=zz=");
  EXPECT_EQ(strip("content-transfer-encoding: BASE64\n\naGVs\r\nbG8gd29ybGQ=\n"), "\nhello world");
  EXPECT_EQ(strip("Subject: =?utf-8?X?a?= =?b\n\n"), "=?utf-8?X?a?= =?b\n\n");
}

TEST(MailText, PartsThatAreTextAreTaken) {
  const std::string mixed =
      "Subject: s\nContent-Type: multipart/mixed; boundary=\"b1\"\n\nignored\n--b1\nContent-Type: text/plain\n\nfirst\n"
      "--b1\nContent-Type: image/png\n\nAAAA\n--b1\nContent-Type: text/html; "
      "charset=utf-8\n\n<p>last</p>\n--b1--\nend\n";
  EXPECT_EQ(strip(mixed), "s\n\nfirst\n\n last \n\n");
  const std::string alternative =
      "Content-Type: multipart/alternative;\n boundary=xyz\n\n--xyz\nContent-Type: "
      "text/html\n\n<b>a</b>\n--xyz\n\nplain\n--xyz--\n";
  EXPECT_EQ(strip(alternative), "\nplain\n");
  EXPECT_EQ(strip("Content-Type: application/pdf\n\nAAAA"), "\n");
  EXPECT_EQ(strip("Content-Type: multipart/mixed\n\nno boundary"), "\nno boundary");
}

TEST(MailText, PartsWithinPartsEnd) {
  std::string message;
  for (int i = 0; i < 1000; ++i) message += "Content-Type: multipart/mixed; boundary=a\n\n--a\n";
  EXPECT_LT(strip(message).size(), 2 * message.size());
}

RC_GTEST_PROP(MailTextProperties, IsUtf8ForAnyUtf8AndForAnyEncodedBytes, ()) {
  std::string bytes = *rc::gen::arbitrary<std::string>(), quoted;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    quoted += {'=', "0123456789ABCDEF"[byte / 16], "0123456789ABCDEF"[byte % 16]};
  }
  const std::string message = "Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n" + quoted;
  RC_ASSERT(valid_utf8(strip(message)));
  if (valid_utf8(bytes) && bytes.find('\0') == std::string::npos) RC_ASSERT(strip(message) == "x\n\n" + bytes);
}

// Whatever marks of mail stand in whatever order.
RC_GTEST_PROP(MailTextProperties, NeverFails, ()) {
  static const std::vector<std::string> parts = {"\n",
                                                 "\r\n",
                                                 "--a",
                                                 "--a--",
                                                 "Content-Type: multipart/mixed; boundary=a\n",
                                                 "Content-Type: multipart/alternative;boundary=\"a\n",
                                                 "=?",
                                                 "?q?",
                                                 "?B?",
                                                 "?=",
                                                 "Content-Transfer-Encoding: base64\n",
                                                 "Content-Transfer-Encoding: quoted-printable\n",
                                                 "From ",
                                                 "=",
                                                 " ",
                                                 ":",
                                                 "Content-Type: text/html; charset\n",
                                                 "Subject: x\n",
                                                 "<p",
                                                 "=E9",
                                                 "word",
                                                 "\xFF",
                                                 "Content-Type: message/rfc822\n\n",
                                                 ";"};
  std::string message = "Subject: x\n";
  for (const std::size_t i :
       *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, parts.size())))
    message += parts[i];
  for (const Mail mail : {Mail::strip, Mail::keep}) {
    const std::string text = mail_text(message, mail);
    RC_ASSERT(text.size() <= 2 * message.size() + 40);
  }
}

}  // namespace
}  // namespace plumb::mail_test
